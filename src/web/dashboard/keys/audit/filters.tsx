/** The filters of the audit log. They stand in the address. */

import { NativeSelect, TextInput } from '@mantine/core'
import { idIn } from '../../ui/address.ts'
import { AccountField } from '../../ui/form/account-field.tsx'
import { endOfDay, lastDay, startOfDay } from '../../ui/form/day.ts'
import type { AuditFilters } from '../queries.ts'
import '../../ui/toolbar.css'
import './audit.css'

const actors = [
  { value: '', label: 'Everybody' },
  { value: 'owner', label: 'You' },
  { value: 'key', label: 'API keys' },
  { value: 'command', label: 'Commands' },
  { value: 'system', label: 'The store itself' },
] as const

const areas = [
  { value: '', label: 'Everything' },
  { value: 'key', label: 'Keys' },
  { value: 'account', label: 'Accounts' },
  { value: 'import', label: 'Imports' },
  { value: 'pets', label: 'Exports' },
  { value: 'backup', label: 'Backups' },
  { value: 'session', label: 'Sign-ins' },
  { value: 'owner', label: 'E-mail and password' },
  { value: 'project', label: 'Projects' },
  { value: 'deploy', label: 'Published websites' },
  { value: 'domain', label: 'Domains' },
] as const

/** The filters in an address, as the API takes them. Days are those of this time zone; the last one is included. */
export function auditFiltersOf(parameters: URLSearchParams): AuditFilters {
  const actor = actors.find(({ value }) => value !== '' && value === parameters.get('who'))?.value
  const action = areas.find(({ value }) => value !== '' && value === parameters.get('what'))?.value
  const accountId = idIn(parameters, 'account')
  const [from, to] = [startOfDay(parameters.get('from') ?? ''), endOfDay(parameters.get('to') ?? '')]
  return {
    ...(actor === undefined ? {} : { actor }),
    ...(action === undefined ? {} : { action }),
    ...(accountId === 0 ? {} : { accountId }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  }
}

interface AuditToolbarProps {
  readonly parameters: URLSearchParams
  /** A date changes with every digit that is typed: these changes are no steps for "Back". */
  readonly onChange: (name: string, value: string, isTyping?: boolean) => void
}

export function AuditToolbar({ parameters, onChange }: AuditToolbarProps) {
  const value = (name: string) => parameters.get(name) ?? ''
  return (
    <search className="toolbar toolbar-labels">
      <NativeSelect
        label="Who"
        data={[...actors]}
        value={value('who')}
        onChange={({ currentTarget }) => onChange('who', currentTarget.value)}
      />
      <NativeSelect
        label="What"
        data={[...areas]}
        value={value('what')}
        onChange={({ currentTarget }) => onChange('what', currentTarget.value)}
      />
      <AccountField
        none="All accounts"
        value={idIn(parameters, 'account')}
        onChange={(id) => id !== undefined && onChange('account', id === 0 ? '' : String(id))}
      />
      <TextInput
        type="date"
        max={lastDay}
        label="From"
        value={value('from')}
        onChange={({ currentTarget }) => onChange('from', currentTarget.value, true)}
      />
      <TextInput
        type="date"
        max={lastDay}
        label="To"
        value={value('to')}
        onChange={({ currentTarget }) => onChange('to', currentTarget.value, true)}
      />
    </search>
  )
}
