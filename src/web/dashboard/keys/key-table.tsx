/** The keys of an account: what each may do, its state, and what can be done with it. */

import { Menu, Table, Text } from '@mantine/core'
import { api } from '../api/client.ts'
import { ChangeButton } from '../ui/change.tsx'
import { formatDay, isolated } from '../ui/format.ts'
import { Moment } from '../ui/moment.tsx'
import { showDone } from '../ui/notices.tsx'
import { RecordMenu } from '../ui/record-menu.tsx'
import { Status } from '../ui/status.tsx'
import { buttons, RecordTable, wide } from '../ui/table.tsx'
import { type Account, accessOf, type Key, type KeyAction, keyStates, stateOf } from './words.ts'

interface KeyTableProps {
  readonly account: Account
  readonly keys: readonly Key[]
  readonly onAction: (action: KeyAction) => void
}

export function KeyTable({ account, keys, onAction }: KeyTableProps) {
  return (
    <RecordTable
      className="key-table"
      isInSection
      columns={[
        'Key',
        { title: 'May do', visibleFrom: 'lg' },
        wide('Last used'),
        { title: 'Expires', visibleFrom: 'lg' },
        'State',
        buttons('Actions'),
      ]}
    >
      {keys.map((key) => (
        <Table.Tr key={key.id}>
          <Table.Td>
            <strong>{key.name}</strong>
            <div className="quiet">{key.prefix}…</div>
            {/* Columns of their own would be one word wide. */}
            <Text component="div" c="dimmed" size="sm" hiddenFrom="lg">
              {accessOf(key.scopes)}
              {key.expiresAt === null ? ', never expires' : `, expires ${formatDay(key.expiresAt)}`}
            </Text>
          </Table.Td>
          <Table.Td visibleFrom="lg">{accessOf(key.scopes)}</Table.Td>
          <Table.Td visibleFrom="sm">
            {key.lastUsedAt === null ? 'Never' : <Moment time={key.lastUsedAt} isRelative />}
          </Table.Td>
          <Table.Td visibleFrom="lg">{key.expiresAt === null ? 'Never' : formatDay(key.expiresAt)}</Table.Td>
          <Table.Td>
            <KeyStatus target={key} />
          </Table.Td>
          <Table.Td ta="end">
            <KeyMenu target={key} account={account} onAction={onAction} />
          </Table.Td>
        </Table.Tr>
      ))}
    </RecordTable>
  )
}

function KeyStatus({ target }: { readonly target: Key }) {
  const state = stateOf(target)
  return (
    <>
      <Status of={keyStates[state]} />
      {state === 'blocked' && target.bannedUntil !== null && (
        <div className="quiet">
          ends <Moment time={target.bannedUntil} isRelative />
        </div>
      )}
    </>
  )
}

interface KeyMenuProps {
  readonly target: Key
  readonly account: Account
  readonly onAction: (action: KeyAction) => void
}

function KeyMenu({ target, account, onAction }: KeyMenuProps) {
  const state = stateOf(target)
  if (state === 'revoked') return null

  async function unblock(): Promise<void> {
    await api.DELETE('/keys/{keyId}/ban', { params: { path: { keyId: target.id } } })
    showDone(`The key “${isolated(target.name)}” works again.`)
  }

  return (
    <>
      {state === 'blocked' && (
        <ChangeButton size="xs" aria-label={`Unblock key ${target.name}`} change={unblock}>
          Unblock key
        </ChangeButton>
      )}
      <RecordMenu label={`More for the key ${target.name}`}>
        <Menu.Item onClick={() => onAction({ kind: 'roll', key: target, account })}>Replace key (roll)</Menu.Item>
        <Menu.Item c="var(--bad)" onClick={() => onAction({ kind: 'revoke', key: target, account })}>
          Revoke key
        </Menu.Item>
      </RecordMenu>
    </>
  )
}
