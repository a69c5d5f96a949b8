/** The bucket to which backups are copied, and the key with which the copies are encrypted. */

import { Button, Modal } from '@mantine/core'
import { IconPrinter } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { BucketView } from '../../../owner/routes.ts'
import { fetchDashboard } from '../session/session.ts'
import { ChangeButton } from '../ui/change.tsx'
import { Confirm } from '../ui/form.tsx'
import { closeLastingDialog, showLastingDialog } from '../ui/lasting-dialog.tsx'
import { Moment } from '../ui/moment.tsx'
import { showDone } from '../ui/notices.tsx'
import { SecretDialog } from '../ui/secret-dialog.tsx'
import { Status } from '../ui/status.tsx'
import { BackupBucketForm } from './backup-bucket-form.tsx'
import { automaticQuery } from './backup-schedule.tsx'

export function BackupBucket() {
  const query = useQuery(automaticQuery)
  // What is above it says that it is loaded, or why it is not.
  const copies = query.data?.copies
  return copies == null ? null : <Place copies={copies} />
}

function Place({ copies }: { readonly copies: BucketView }) {
  const { bucket, isBucketGiven, last } = copies
  const [open, setOpen] = useState<'form' | 'off'>()
  const close = () => setOpen(undefined)

  async function test(): Promise<void> {
    const { mayDelete } = await fetchDashboard<{ readonly mayDelete: boolean }>('POST', '/backups/bucket/test')
    showDone(
      mayDelete
        ? 'The bucket works: an object was written, read and deleted.'
        : 'The bucket works. These keys may not delete, so old copies stay in it.',
    )
  }

  async function turnOff(): Promise<void> {
    await fetchDashboard('DELETE', '/backups/bucket')
    showDone('Backups are not copied any more.')
  }

  return (
    <>
      <div className="settings-row settings-row-wrapping">
        <div>
          <div className="settings-label">
            {bucket === null ? 'Backups stay on this computer' : bucket.address}{' '}
            {last?.error != null && <Status of={['Failed', 'bad']} />}
            {isBucketGiven && <Status of={['Locked', 'quiet']} />}
          </div>
          {bucket === null && (
            <div className="quiet">
              If its disk breaks, they are lost with it. A bucket, storage that you rent from a provider, keeps a copy
              of each elsewhere.
            </div>
          )}
          {bucket?.endpoint != null && <div className="quiet">At {bucket.endpoint}</div>}
          {isBucketGiven && (
            <div className="quiet">Set by --backup-s3 of the start, and can only be changed there.</div>
          )}
          {bucket !== null && last?.name != null && (
            <div className="quiet">
              Last copy <Moment time={last.at} isRelative />, {last.name}
            </div>
          )}
          {bucket !== null && last?.error != null && <div className="settings-fault">{last.error}</div>}
        </div>
        <div className="settings-buttons">
          {bucket !== null && (
            <ChangeButton size="xs" change={test} failure="The bucket does not work">
              Test the bucket
            </ChangeButton>
          )}
          {!isBucketGiven && (
            <Button size="xs" variant="default" onClick={() => setOpen('form')}>
              {bucket === null ? 'Set up a bucket' : 'Change bucket'}
            </Button>
          )}
          {!isBucketGiven && bucket !== null && (
            <Button size="xs" variant="default" onClick={() => setOpen('off')}>
              Stop copying
            </Button>
          )}
        </div>
        <Modal opened={open === 'form'} onClose={close} title="Bucket for backups">
          <BackupBucketForm copies={copies} onClose={close} />
        </Modal>
        <Confirm
          opened={open === 'off'}
          onClose={close}
          title="Stop copying?"
          action="Stop copying"
          onConfirm={turnOff}
        >
          New backups stay on this computer alone. The copies that are in the bucket stay there.
        </Confirm>
      </div>
      {bucket !== null && <Encryption copies={copies} />}
    </>
  )
}

function Encryption({ copies }: { readonly copies: BucketView }) {
  const { recipients, areRecipientsGiven } = copies
  const isEncrypted = recipients.length > 0
  const create = async () =>
    showKey((await fetchDashboard<{ readonly identity: string }>('POST', '/backups/keys')).identity)
  return (
    <div className="settings-row settings-row-wrapping">
      <div>
        <div className="settings-label">
          {isEncrypted ? 'New copies are encrypted' : 'The copies are not encrypted'}{' '}
          {!isEncrypted && <Status of={['Readable', 'warn']} />}
          {areRecipientsGiven && <Status of={['Locked', 'quiet']} />}
        </div>
        <div className="quiet">
          {isEncrypted
            ? 'Only whoever has the key on paper can read them. Copies from before stay as they were made.'
            : 'Whoever can read the bucket can read orders, and the keys of certificates.'}
        </div>
        {areRecipientsGiven && (
          <div className="quiet">Set by --backup-recipient of the start, and can only be changed there.</div>
        )}
      </div>
      {!areRecipientsGiven && (
        // Without a response, the store may have begun to use a key that nobody has seen.
        <ChangeButton size="xs" change={create} failure="No key can be shown">
          {isEncrypted ? 'Make a new key' : 'Encrypt the copies'}
        </ChangeButton>
      )}
    </div>
  )
}

/** Shows the key that reads the copies from now on; also after the page has been left. */
const showKey = (identity: string): void =>
  showLastingDialog(
    <SecretDialog
      key={identity}
      title="The key of your backups"
      word="key"
      secret={identity}
      onClose={closeLastingDialog}
      note="Copies are encrypted from now on, and only this key reads them. The store does not keep it: print it, and keep the paper away from this computer. Copies that are in the bucket already stay as they are: readable, or with the key of their time."
    >
      {(onCopied) => (
        <div>
          <Button
            variant="default"
            leftSection={<IconPrinter size={16} />}
            onClick={() => {
              print()
              onCopied()
            }}
          >
            Print key
          </Button>
        </div>
      )}
    </SecretDialog>,
  )
