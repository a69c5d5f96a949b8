/** The schedule of backups: when the next one is made, how the last one went and what is kept. */

import { Button, Modal } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { BackupScheduleView, BucketView } from '../../../owner/routes.ts'
import { fetchDashboard } from '../session/session.ts'
import { countOf } from '../ui/format.ts'
import { Moment } from '../ui/moment.tsx'
import { Loaded, LoadingRows } from '../ui/states.tsx'
import { Status } from '../ui/status.tsx'
import { BackupScheduleForm } from './backup-schedule-form.tsx'

interface Automatic {
  readonly schedule: BackupScheduleView | null
  readonly copies: BucketView | null
}

/** What happens to backups by itself. */
export const automaticQuery = queryOptions({
  queryKey: ['backup-schedule'],
  queryFn: () => fetchDashboard<Automatic>('GET', '/backups'),
  meta: { topics: ['backups'] },
})

export function BackupSchedule() {
  const query = useQuery(automaticQuery)
  return (
    <Loaded query={query} loading={<LoadingRows rows={3} />}>
      {({ schedule }) => (schedule === null ? null : <Row schedule={schedule} />)}
    </Loaded>
  )
}

function Row({ schedule }: { readonly schedule: BackupScheduleView }) {
  const { at, keep, isAtGiven, isKeepGiven, timeZone, nextAt, last } = schedule
  const [open, setOpen] = useState(false)
  const close = () => setOpen(false)
  const locked = [...(isAtGiven ? ['--backup-at'] : []), ...(isKeepGiven ? ['--backup-keep'] : [])]
  return (
    <div className="settings-row settings-row-wrapping">
      <div>
        <div className="settings-label">
          {at === 'off' ? 'No backups are made automatically' : `Every day at ${at} (${timeZone})`}{' '}
          {last?.error != null && at !== 'off' && <Status of={['Failed', 'bad']} />}
          {locked.length > 0 && <Status of={['Locked', 'quiet']} />}
        </div>
        {nextAt !== null && (
          <div className="quiet">
            Next backup <Moment time={nextAt} isRelative />
          </div>
        )}
        {last !== null && (
          <div className="quiet">
            Last backup <Moment time={last.at} isRelative />
            {last.name !== null && `, ${last.name}`}
          </div>
        )}
        {last?.error != null && <div className="settings-fault">{last.error}</div>}
        <div className="quiet">{keptWords(keep)}</div>
        {locked.length > 0 && (
          <div className="quiet">Set by {locked.join(' and ')} of the start, and can only be changed there.</div>
        )}
      </div>
      {locked.length < 2 && (
        <div className="settings-buttons">
          <Button size="xs" variant="default" onClick={() => setOpen(true)}>
            Change schedule
          </Button>
        </div>
      )}
      <Modal opened={open} onClose={close} title="Daily backup">
        <BackupScheduleForm schedule={schedule} onClose={close} />
      </Modal>
    </div>
  )
}

/** `7d,4w,6m` in words. */
function keptWords(keep: string): string {
  const [days = 0, weeks = 0, months = 0] = keep.split(',').map((part) => Number.parseInt(part, 10))
  const named = [
    ...(days > 0 ? [countOf(days, 'day')] : []),
    ...(weeks > 0 ? [countOf(weeks, 'week')] : []),
    ...(months > 0 ? [countOf(months, 'month')] : []),
  ]
  if (named.length === 0) return 'The last three are kept.'
  return `One of each of the last ${named.join(', ')} is kept, and always the last three. Files to download stay.`
}
