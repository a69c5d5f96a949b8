/** The backups: copies of the whole store. Restoring one is a command, because it replaces the owner and the keys too. */

import { Button } from '@mantine/core'
import { IconDatabaseExport } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { api, bodyOf, type Schemas } from '../../api/client.ts'
import { invalidateTopics } from '../../api/queries.ts'
import { newRequest } from '../../api/send.ts'
import { showDone, showFailure } from '../../ui/feedback/notices.ts'
import { Empty, Loaded } from '../../ui/feedback/states.tsx'
import { countOf, formatBytes } from '../../ui/format.ts'
import { Moment } from '../../ui/moment.tsx'
import { Section } from '../../ui/page.tsx'
import { Status, type Tone } from '../../ui/status.tsx'
import { backupsQuery } from '../queries.ts'
import { NightlyBackups } from './nightly-backups.tsx'
import { RestoreDialog } from './restore-dialog.tsx'

type Backup = Schemas['Backup']

export function BackupsSection() {
  const query = useQuery(backupsQuery)
  const [isBusy, setBusy] = useState(false)
  const frame = useRef<HTMLDivElement>(null)
  // A link leads to this part of the page.
  useEffect(() => {
    if (location.hash === '#backups') frame.current?.scrollIntoView({ block: 'center' })
  }, [])
  const [restored, setRestored] = useState<Backup>()

  async function create(): Promise<void> {
    setBusy(true)
    try {
      const backup = await bodyOf(api.POST('/backups', { params: { header: newRequest() } }))
      await invalidateTopics(['backups'])
      showDone(`The backup is finished: ${formatBytes(backup.bytes)}.`)
    } catch (error) {
      showFailure(error, 'The backup failed')
    } finally {
      setBusy(false)
    }
  }

  return (
    <Section
      title="Backups"
      lead="Copies of the whole store with its websites and certificates. Keep some of them on another computer."
      actions={
        <Button size="xs" loading={isBusy} leftSection={<IconDatabaseExport size={16} />} onClick={() => void create()}>
          Back up now
        </Button>
      }
    >
      <NightlyBackups />
      <div ref={frame}>
        <Loaded query={query}>
          {(backups) =>
            backups.length === 0 ? (
              <Empty
                title="No backup yet"
                text="Make the first one now. It takes a moment, and the store keeps running."
              />
            ) : (
              <div className="settings-rows">
                {backups.map((backup) => (
                  <Row key={backup.name} backup={backup} onRestore={() => setRestored(backup)} />
                ))}
              </div>
            )
          }
        </Loaded>
      </div>
      <RestoreDialog backup={restored} onClose={() => setRestored(undefined)} />
    </Section>
  )
}

interface RowProps {
  readonly backup: Backup
  readonly onRestore: () => void
}

function Row({ backup, onRestore }: RowProps) {
  const [result, setResult] = useState<Schemas['VerifiedBackup']>()
  const [isBusy, setBusy] = useState(false)

  async function verify(): Promise<void> {
    setBusy(true)
    try {
      const params = { path: { name: backup.name }, header: newRequest() }
      setResult(await bodyOf(api.POST('/backups/{name}/verify', { params })))
    } catch (error) {
      showFailure(error, 'The backup could not be verified')
    } finally {
      setBusy(false)
    }
  }

  return (
    <div className="settings-row settings-row-wrapping">
      <div>
        <div className="settings-label">
          <Moment time={backup.createdAt} />
          {result !== undefined && <Status tone={toneOf(result)}>{labelOf(result)}</Status>}
        </div>
        <div className="quiet">
          {formatBytes(backup.bytes)}, {backup.name}
        </div>
        <div role="status">{result !== undefined && <Verdict result={result} />}</div>
      </div>
      <div className="settings-buttons">
        <Button
          size="xs"
          variant="default"
          loading={isBusy}
          aria-label={`Verify backup ${backup.name}`}
          onClick={() => void verify()}
        >
          Verify
        </Button>
        <Button
          component="a"
          href={`/dashboard/files/backups/${backup.name}`}
          download={backup.name}
          size="xs"
          variant="default"
          aria-label={`Download backup ${backup.name}`}
        >
          Download
        </Button>
        <Button size="xs" variant="default" aria-label={`Restore backup ${backup.name}`} onClick={onRestore}>
          Restore
        </Button>
      </div>
    </div>
  )
}

type Verified = Schemas['VerifiedBackup']

const lacksFiles = ({ damagedFiles }: Verified) => (damagedFiles ?? 0) > 0

function toneOf(result: Verified): Tone {
  if (!result.ok) return 'bad'
  return lacksFiles(result) ? 'warn' : 'good'
}

function labelOf(result: Verified): string {
  if (!result.ok) return 'Cannot be restored'
  return lacksFiles(result) ? 'Incomplete' : 'Undamaged'
}

function Verdict({ result }: { readonly result: Verified }) {
  const { ok, fault, animals, orders, keys, damagedFiles } = result
  if (!ok) return <span className="settings-fault">{fault}</span>
  return (
    <span className="quiet">
      It contains {countOf(animals ?? 0, 'animal')}, {countOf(orders ?? 0, 'order')} and {countOf(keys ?? 0, 'key')}.
      {lacksFiles(result) &&
        ` When it was made, ${countOf(damagedFiles ?? 0, 'file')} of websites or certificates could not be read whole. Publish the websites again.`}
    </span>
  )
}
