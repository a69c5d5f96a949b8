/** The form of the schedule of backups, without what the start has set. */

import { Group, TextInput } from '@mantine/core'
import type { BackupScheduleView } from '../../../owner/routes.ts'
import { isApiError } from '../api/error.ts'
import { fetchDashboard } from '../session/session.ts'
import { Form, useFields } from '../ui/form.tsx'
import { showDone } from '../ui/notices.tsx'

interface FormProps {
  readonly schedule: BackupScheduleView
  readonly onClose: () => void
}

export function BackupScheduleForm({ schedule, onClose }: FormProps) {
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
