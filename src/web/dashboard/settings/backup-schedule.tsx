/** The schedule of backups: the next and the last one, and which are kept. */

import { Group, Modal, TextInput } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { BackupScheduleView, BucketView } from '../../../owner/routes.ts'
import { isApiError } from '../api/error.ts'
import { fetchDashboard } from '../session/session.ts'
import { Form, useFields } from '../ui/form.tsx'
import { countOf } from '../ui/format.ts'
import { Moment } from '../ui/moment.tsx'
import { showDone } from '../ui/notices.tsx'
import { SmallButton } from '../ui/small.ts'
import { Loaded, LoadingRows } from '../ui/states.tsx'
import { Status } from '../ui/status.tsx'
import { Fault, Row } from './rows.tsx'

interface Automatic {
  readonly schedule: BackupScheduleView | null
  readonly copies: BucketView | null
}

/** What happens to backups automatically. */
export const automaticQuery = queryOptions({
  queryKey: ['backup-schedule'],
  queryFn: () => fetchDashboard<Automatic>('GET', '/backups'),
  meta: { topics: ['backups'] },
})

export function BackupSchedule() {
  const query = useQuery(automaticQuery)
  return (
    <Loaded query={query} loading={<LoadingRows rows={3} />}>
      {({ schedule }) => (schedule === null ? null : <Schedule schedule={schedule} />)}
    </Loaded>
  )
}

function Schedule({ schedule }: { readonly schedule: BackupScheduleView }) {
  const { at, keep, isAtGiven, isKeepGiven, timeZone, nextAt, last } = schedule
  const [open, setOpen] = useState(false)
  const close = () => setOpen(false)
  const locked = [...(isAtGiven ? ['--backup-at'] : []), ...(isKeepGiven ? ['--backup-keep'] : [])]
  return (
    <>
      <Row
        title={
          <>
            {at === 'off' ? 'No backups are made automatically' : `Every day at ${at} (${timeZone})`}{' '}
            {last?.error != null && at !== 'off' && <Status of={['Failed', 'bad']} />}
            {locked.length > 0 && <Status of={['Locked', 'quiet']} />}
          </>
        }
        buttons={locked.length < 2 && <SmallButton onClick={() => setOpen(true)}>Change schedule</SmallButton>}
      >
        {nextAt !== null && (
          <div>
            Next backup <Moment time={nextAt} isRelative />
          </div>
        )}
        {last !== null && (
          <div>
            Last backup <Moment time={last.at} isRelative />
            {last.name !== null && `, ${last.name}`}
          </div>
        )}
        {last?.error != null && <Fault>{last.error}</Fault>}
        <div>{keptWords(keep)}</div>
        {locked.length > 0 && (
          <div>Set with {locked.join(' and ')} when the store was started. It can be changed only there.</div>
        )}
      </Row>
      <Modal opened={open} onClose={close} title="Daily backup">
        <BackupScheduleForm schedule={schedule} onClose={close} />
      </Modal>
    </>
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

interface FormProps {
  readonly schedule: BackupScheduleView
  readonly onClose: () => void
}

/** Has no fields for the values that were set when the store was started. */
function BackupScheduleForm({ schedule, onClose }: FormProps) {
  const [days = '', weeks = '', months = ''] = schedule.keep.split(',').map((part) => part.slice(0, -1))
  const { values, of, reject } = useFields({ at: schedule.at, days, weeks, months })

  async function save(isShown: () => boolean): Promise<void> {
    const number = (text: string) => (/^\d{1,3}$/.test(text.trim()) ? undefined : 'Enter a number from 0 to 999.')
    const problems = { days: number(values.days), weeks: number(values.weeks), months: number(values.months) }
    if (!schedule.isKeepGiven && reject(problems)) return
    const keep = `${values.days.trim()}d,${values.weeks.trim()}w,${values.months.trim()}m`
    try {
      await fetchDashboard('POST', '/backups', {
        ...(schedule.isAtGiven ? {} : { at: values.at }),
        ...(schedule.isKeepGiven ? {} : { keep }),
      })
    } catch (error) {
      if (!isApiError(error, 'invalid_body')) throw error
      reject({ at: 'Enter a time such as 03:15, or off.' })
      return
    }
    showDone('The schedule is changed.')
    if (isShown()) onClose()
  }

  return (
    <Form onSubmit={save} action="Save schedule" onCancel={onClose}>
      {!schedule.isAtGiven && (
        <TextInput
          {...of('at')}
          label="Time of day"
          description={`Such as 03:15, as the clock of the store’s computer shows it (${schedule.timeZone}). Enter off to make none.`}
          autoComplete="off"
          data-autofocus
        />
      )}
      {!schedule.isKeepGiven && (
        <Group grow align="end">
          <TextInput {...of('days')} label="Keep days" inputMode="numeric" autoComplete="off" />
          <TextInput {...of('weeks')} label="Keep weeks" inputMode="numeric" autoComplete="off" />
          <TextInput {...of('months')} label="Keep months" inputMode="numeric" autoComplete="off" />
        </Group>
      )}
    </Form>
  )
}
