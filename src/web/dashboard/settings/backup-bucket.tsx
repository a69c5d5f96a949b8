/** The bucket to which backups are copied, and the key with which the copies are encrypted. */

import { Button, Modal, PasswordInput, TextInput } from '@mantine/core'
import { IconPrinter } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { BucketView } from '../../../owner/routes.ts'
import { fetchDashboard } from '../session/session.ts'
import { ChangeButton } from '../ui/change.tsx'
import { Confirm, Form, useFields, verbatim } from '../ui/form.tsx'
import { defined } from '../ui/input.ts'
import { closeLastingDialog, showLastingDialog } from '../ui/lasting-dialog.tsx'
import { Moment } from '../ui/moment.tsx'
import { showDone } from '../ui/notices.tsx'
import { SecretDialog } from '../ui/secret-dialog.tsx'
import { SmallButton } from '../ui/small.ts'
import { Status } from '../ui/status.tsx'
import { automaticQuery } from './backup-schedule.tsx'
import { changeOwner } from './owner-section.tsx'
import { Fault, Row } from './rows.tsx'

export function BackupBucket() {
  const query = useQuery(automaticQuery)
  // The schedule above it shows that the query is loading, or why it failed.
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
    showDone('Backups are no longer copied.')
  }

  return (
    <>
      <Row
        title={
          <>
            {bucket === null ? 'Backups stay on this computer' : bucket.address}{' '}
            {last?.error != null && <Status of={['Failed', 'bad']} />}
            {isBucketGiven && <Status of={['Locked', 'quiet']} />}
          </>
        }
        buttons={
          <>
            {bucket !== null && (
              <ChangeButton change={test} failure="The bucket does not work">
                Test the bucket
              </ChangeButton>
            )}
            {!isBucketGiven && (
              <SmallButton onClick={() => setOpen('form')}>
                {bucket === null ? 'Set up a bucket' : 'Change bucket'}
              </SmallButton>
            )}
            {!isBucketGiven && bucket !== null && (
              <SmallButton onClick={() => setOpen('off')}>Stop copying</SmallButton>
            )}
          </>
        }
      >
        {bucket === null && (
          <div>
            If its disk breaks, they are lost with it. A bucket, storage that you rent from a provider, keeps a copy of
            each elsewhere.
          </div>
        )}
        {bucket?.endpoint != null && <div>At {bucket.endpoint}</div>}
        {isBucketGiven && <div>Set with --backup-s3 when the store was started. It can be changed only there.</div>}
        {bucket !== null && last?.name != null && (
          <div>
            Last copy <Moment time={last.at} isRelative />, {last.name}
          </div>
        )}
        {bucket !== null && last?.error != null && <Fault>{last.error}</Fault>}
      </Row>
      <Modal opened={open === 'form'} onClose={close} title="Bucket for backups">
        <BackupBucketForm copies={copies} onClose={close} />
      </Modal>
      <Confirm opened={open === 'off'} onClose={close} title="Stop copying?" action="Stop copying" onConfirm={turnOff}>
        New backups stay only on this computer. The copies that are in the bucket stay there.
      </Confirm>
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
    <Row
      title={
        <>
          {isEncrypted ? 'New copies are encrypted' : 'The copies are not encrypted'}{' '}
          {!isEncrypted && <Status of={['Readable', 'warn']} />}
          {areRecipientsGiven && <Status of={['Locked', 'quiet']} />}
        </>
      }
      buttons={
        !areRecipientsGiven && (
          // Without a response, the store may have begun to use a key that nobody has seen.
          <ChangeButton change={create} failure="No key can be shown">
            {isEncrypted ? 'Make a new key' : 'Encrypt the copies'}
          </ChangeButton>
        )
      }
    >
      {isEncrypted
        ? 'Only the person who has the key on paper can read them, and files that you download. Earlier copies stay as they were made.'
        : 'Anybody who can read the bucket can read orders, and the keys of certificates.'}
      {areRecipientsGiven && (
        <div>Set with --backup-recipient when the store was started. It can be changed only there.</div>
      )}
    </Row>
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

interface FormProps {
  readonly copies: BucketView
  readonly onClose: () => void
}

/** Its secret key is sent to the store and never comes back. */
function BackupBucketForm({ copies: { bucket }, onClose }: FormProps) {
  const { values, of, reject } = useFields({
    address: bucket?.address ?? 's3://',
    endpoint: bucket?.endpoint ?? '',
    region: bucket?.region ?? '',
    accessKeyId: bucket?.accessKeyId ?? '',
    secretAccessKey: '',
    password: '',
  })

  async function save(isShown: () => boolean): Promise<void> {
    const optional = (text: string) => text.trim() || undefined
    const change = {
      address: values.address.trim(),
      accessKeyId: values.accessKeyId.trim(),
      ...defined({
        endpoint: optional(values.endpoint),
        region: optional(values.region),
        secretAccessKey: optional(values.secretAccessKey),
      }),
    }
    if (reject(await changeOwner('/backups/bucket', values.password, change, problemOf))) return
    showDone('The bucket is set up. Test it now.')
    if (isShown()) onClose()
  }

  return (
    <Form onSubmit={save} action="Save bucket" onCancel={onClose}>
      <TextInput
        {...of('address')}
        label="Bucket"
        description="s3:// with the name of the bucket and a directory in it that only this store uses."
        placeholder="s3://shop-backups/pets"
        {...verbatim}
        data-autofocus
      />
      <TextInput
        {...of('endpoint')}
        label="Endpoint"
        description="The address from your provider. Leave it empty for Amazon."
        placeholder="https://s3.example.com"
        {...verbatim}
      />
      <TextInput
        {...of('region')}
        label="Region"
        description="Leave it empty if your provider has none."
        {...verbatim}
      />
      <TextInput {...of('accessKeyId')} label="Access key ID" {...verbatim} />
      <PasswordInput
        {...of('secretAccessKey')}
        label="Secret access key"
        description={bucket === null ? undefined : 'Leave it empty to keep the stored one.'}
        autoComplete="off"
      />
      <PasswordInput {...of('password')} label="Your password for this store" autoComplete="current-password" />
    </Form>
  )
}

/** The field that the store rejected, and why. */
function problemOf(message: string) {
  if (message.startsWith('The endpoint ')) return { endpoint: 'Enter an address such as https://s3.example.com.' }
  if (message.startsWith('The region ')) return { region: 'Enter a name such as eu-central-1.' }
  if (message.startsWith('accessKeyId ')) return { accessKeyId: 'Enter the name of the key for the bucket.' }
  if (message.startsWith('secretAccessKey ')) return { secretAccessKey: 'Enter the secret key for the bucket.' }
  return { address: 'Enter s3:// with the name of a bucket, such as s3://shop-backups/pets.' }
}
