/** The backups: copies of the whole store. Restoring one is a command, because it replaces the owner and the keys too. */

import { Button, Code, Group, Modal, Stack, Text } from '@mantine/core'
import { IconDatabaseExport } from '@tabler/icons-react'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { api, bodyOf, type Schemas } from '../api/client.ts'
import { newRequest } from '../api/send.ts'
import { systemQuery } from '../api/system.ts'
import { fetchDashboard } from '../session/session.ts'
import { ChangeButton } from '../ui/change.tsx'
import { CopyButton } from '../ui/copy.tsx'
import { countOf, formatBytes, formatMoment } from '../ui/format.ts'
import { Moment } from '../ui/moment.tsx'
import { showDone } from '../ui/notices.tsx'
import { Section } from '../ui/page.tsx'
import { SmallButton } from '../ui/small.ts'
import { Empty, Loaded, LoadingRows } from '../ui/states.tsx'
import { Status, type StatusWords } from '../ui/status.tsx'
import { BackupBucket } from './backup-bucket.tsx'
import { BackupSchedule } from './backup-schedule.tsx'
import { type Place, restoreCommand, whereToRun } from './commands.ts'
import { Fault, Row, Rows } from './rows.tsx'

type Backup = Schemas['Backup']
type Verified = Schemas['VerifiedBackup']

const backupsQuery = queryOptions({
  queryKey: ['backups'],
  queryFn: ({ signal }) => bodyOf(api.GET('/backups', { params: { query: { limit: 100 } }, signal })),
  meta: { topics: ['backups'] },
})

export function BackupsSection() {
  const query = useQuery(backupsQuery)
  const frame = useRef<HTMLDivElement>(null)
  // A link leads to this part of the page.
  useEffect(() => {
    if (location.hash === '#backups') frame.current?.scrollIntoView({ block: 'center' })
  }, [])
  const [restored, setRestored] = useState<Backup>()
  const close = () => setRestored(undefined)

  async function backUp(): Promise<void> {
    const { bytes } = await fetchDashboard<{ readonly bytes: number }>('POST', '/backups/now')
    showDone(`The backup is finished: ${formatBytes(bytes)}.`)
  }

  async function createFile(): Promise<void> {
    const { name } = await bodyOf(api.POST('/backups', { params: { header: newRequest() } }))
    location.assign(fileOf(name))
    showDone('The backup is finished: the browser saves it as one file.')
  }

  return (
    <Section
      title="Backups"
      lead="Copies of the whole store with its websites and certificates. “Back up now” makes the daily backup at once, which a bucket gets too. “Make a file to download” makes a backup, too, and saves it as one file that you can keep elsewhere."
      actions={
        <>
          <ChangeButton change={createFile} failure="The file could not be made">
            Make a file to download
          </ChangeButton>
          <ChangeButton
            variant="filled"
            leftSection={<IconDatabaseExport size={16} />}
            change={backUp}
            failure="The backup failed"
          >
            Back up now
          </ChangeButton>
        </>
      }
    >
      <Rows>
        <StoreOnHold />
        <div ref={frame}>
          <BackupSchedule />
        </div>
        <BackupBucket />
        <div>
          <Loaded query={query}>
            {(backups) =>
              backups.length === 0 ? (
                <Empty
                  title="No backup yet"
                  text="Make the first one now. It takes a moment, and the store keeps running."
                />
              ) : (
                <Rows>
                  {backups.map((backup) => (
                    <BackupRow key={backup.name} backup={backup} onRestore={() => setRestored(backup)} />
                  ))}
                </Rows>
              )
            }
          </Loaded>
        </div>
      </Rows>
      <Modal opened={restored !== undefined} onClose={close} title="Restore a backup" size="lg">
        {restored !== undefined && <Restore backup={restored} onClose={close} />}
      </Modal>
    </Section>
  )
}

/** A store that was restored on another computer is on hold until the owner confirms: the old computer may still run. */
function StoreOnHold() {
  const { data: system } = useQuery(systemQuery)
  if (system === undefined || system.heldSince === null) return null

  async function confirm(): Promise<void> {
    await bodyOf(api.POST('/backups/confirm', { params: { header: newRequest() } }))
    showDone('This computer runs the store now.')
  }

  return (
    <Row
      title={
        <>
          The store is on hold <Status of={['Restored', 'warn']} />
        </>
      }
      buttons={
        <ChangeButton variant="filled" change={confirm} failure="The store could not be confirmed">
          Run the store here
        </ChangeButton>
      }
    >
      It was restored here from a backup of another computer, <Moment time={system.heldSince} isRelative />. It orders
      no certificates and sends no mail and no webhooks until you confirm that this computer runs the store now. Stop
      the store on the other computer first.
    </Row>
  )
}

interface BackupRowProps {
  readonly backup: Backup
  readonly onRestore: () => void
}

/** Why a backup was made. */
const reasonWords: Readonly<Record<string, string>> = {
  backup: 'Made on request',
  scheduled: 'Daily backup',
  'before-upgrade': 'Made before an upgrade',
  'before-restore': 'What a restore replaced',
}

/** The address of a backup that is packed into one file. */
const fileOf = (name: string) => `/dashboard/files/backups/${name}`

function BackupRow({ backup: { name, bytes, createdAt, reason, isOfOtherStore }, onRestore }: BackupRowProps) {
  const [result, setResult] = useState<Verified>()

  async function verify(): Promise<void> {
    setResult(await bodyOf(api.POST('/backups/{name}/verify', { params: { path: { name }, header: newRequest() } })))
  }

  return (
    <Row
      title={
        <>
          <Moment time={createdAt} />
          {result !== undefined && <Status of={stateOf(result)} />}
        </>
      }
      buttons={
        <>
          <ChangeButton aria-label={`Verify backup ${name}`} change={verify} failure="The backup could not be verified">
            Verify
          </ChangeButton>
          <SmallButton component="a" href={fileOf(name)} aria-label={`Download backup ${name}`}>
            Download
          </SmallButton>
          <SmallButton aria-label={`Restore backup ${name}`} onClick={onRestore}>
            Restore
          </SmallButton>
        </>
      }
    >
      {reasonWords[reason] ?? reason}, {formatBytes(bytes)}
      {isOfOtherStore && ', of another store'}
      <div>{name}</div>
      <div role="status">{result !== undefined && <Verdict result={result} />}</div>
    </Row>
  )
}

function stateOf({ ok, damagedFiles }: Verified): StatusWords {
  if (!ok) return ['Cannot be restored', 'bad']
  return damagedFiles ? ['Incomplete', 'warn'] : ['Undamaged', 'good']
}

function Verdict({ result }: { readonly result: Verified }) {
  const { ok, fault, animals, orders, keys, damagedFiles } = result
  if (!ok) return <Fault>{fault}</Fault>
  return (
    <>
      It contains {countOf(animals ?? 0, 'animal')}, {countOf(orders ?? 0, 'order')} and {countOf(keys ?? 0, 'key')}.
      {!!damagedFiles &&
        ` But ${countOf(damagedFiles, 'file')} of websites or certificates ${damagedFiles === 1 ? 'is' : 'are'} missing or damaged. Publish the websites again.`}
    </>
  )
}

/** How to restore a backup: with commands, ready to copy. */
function Restore({ backup, onClose }: { readonly backup: Backup; readonly onClose: () => void }) {
  const query = useQuery(systemQuery)
  return (
    <Stack>
      <Text>
        The whole store becomes as it was on {formatMoment(backup.createdAt)}: animals and orders, but also your
        password and all keys. The store as it is now is kept in a separate backup.
      </Text>
      <Loaded query={query} loading={<LoadingRows rows={3} />}>
        {(system) => <RestoreSteps name={backup.name} place={system} />}
      </Loaded>
      <Group className="form-buttons" justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
      </Group>
    </Stack>
  )
}

function RestoreSteps({ name, place }: { readonly name: string; readonly place: Place }) {
  const text = useRef<HTMLElement>(null)
  const command = restoreCommand(name, place)
  const isByHand = !command.includes('\n')
  return (
    <Stack component="ol" gap="sm" m={0} ps="1.25rem">
      {isByHand && <li>Stop the store.</li>}
      <li>
        Run {isByHand ? 'this command' : 'these commands'} {whereToRun(place)}:
        <Code block my="xs" ref={text}>
          {command}
        </Code>
        <CopyButton text={command} label="Copy command" source={text} size="xs" data-autofocus />
      </li>
      <li>
        {isByHand && 'Start the store again, and '}
        {isByHand ? 'sign' : 'Sign'} in with the password of that time.
      </li>
    </Stack>
  )
}
