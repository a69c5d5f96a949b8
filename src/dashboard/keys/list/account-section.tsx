/** An account: its plan, how much of it is used today, and its keys. */

import { ActionIcon, Button, Menu, Progress } from '@mantine/core'
import { IconDots, IconPlus } from '@tabler/icons-react'
import { Link } from 'wouter'
import { api } from '../../api/client.ts'
import { showDone, showFailure } from '../../ui/feedback/notices.ts'
import { formatDay, formatNumber } from '../../ui/format.ts'
import { Moment } from '../../ui/moment.tsx'
import { Section } from '../../ui/page.tsx'
import { Status } from '../../ui/status.tsx'
import { refreshKeys } from '../queries.ts'
import {
  type Account,
  accessOf,
  type Key,
  type KeyAction,
  planLabels,
  stateLabels,
  stateOf,
  stateTones,
} from '../words.ts'
import '../../ui/table.css'
import './account-section.css'

interface AccountSectionProps {
  readonly account: Account
  readonly keys: readonly Key[]
  /** Whether revoked or expired keys are left out. */
  readonly hasOld: boolean
  readonly onAction: (action: KeyAction) => void
}

export function AccountSection({ account, keys, hasOld, onAction }: AccountSectionProps) {
  return (
    <Section
      title={account.name}
      lead={`${planLabels[account.plan]} plan: ${formatNumber(account.perMinute)} requests a minute, ${formatNumber(account.perDay)} a day`}
      actions={
        <>
          <Button
            size="xs"
            variant="default"
            aria-label={`Change plan of ${account.name}`}
            onClick={() => onAction({ kind: 'plan', account })}
          >
            Change plan
          </Button>
          <Button
            component={Link}
            href={`/keys?create=1&account=${account.id}`}
            size="xs"
            variant="default"
            leftSection={<IconPlus size={14} />}
            aria-label={`Create key for ${account.name}`}
          >
            Create key
          </Button>
        </>
      }
    >
      <UsageBar account={account} />
      {keys.length === 0 ? (
        <p className="quiet account-empty">{hasOld ? 'No active keys.' : 'No keys.'}</p>
      ) : (
        <KeyTable account={account} keys={keys} onAction={onAction} />
      )}
    </Section>
  )
}

const nearlyUsed = 80

function UsageBar({ account }: { readonly account: Account }) {
  const used = account.usedToday
  const percent = Math.min(100, (used / account.perDay) * 100)
  return (
    <div className="usage">
      <Progress.Root size="lg">
        <Progress.Section
          value={percent}
          color={percent >= nearlyUsed ? 'amber' : 'brand'}
          aria-label={`Requests of ${account.name} today`}
        />
      </Progress.Root>
      <Link href={`/keys/usage?account=${account.id}`} className="usage-text">
        {formatNumber(used)} of {formatNumber(account.perDay)} requests today
      </Link>
    </div>
  )
}

interface KeyTableProps {
  readonly account: Account
  readonly keys: readonly Key[]
  readonly onAction: (action: KeyAction) => void
}

function KeyTable({ account, keys, onAction }: KeyTableProps) {
  return (
    <table className="table">
      <thead>
        <tr>
          <th scope="col">Key</th>
          <th scope="col" className="wide">
            May do
          </th>
          <th scope="col" className="wide">
            Last used
          </th>
          <th scope="col" className="wide">
            Expires
          </th>
          <th scope="col">State</th>
          <th scope="col">
            <span className="visually-hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <tr key={key.id}>
            <td>
              <strong>{key.name}</strong>
              <div className="quiet">{key.prefix}…</div>
              <div className="quiet narrow">
                {accessOf(key.scopes)}
                {key.expiresAt !== null && `, expires ${formatDay(key.expiresAt)}`}
              </div>
            </td>
            <td className="wide">{accessOf(key.scopes)}</td>
            <td className="wide">{key.lastUsedAt === null ? 'Never' : <Moment time={key.lastUsedAt} isRelative />}</td>
            <td className="wide">{key.expiresAt === null ? 'Never' : formatDay(key.expiresAt)}</td>
            <td>
              <KeyStatus target={key} />
            </td>
            <td className="table-actions">
              <KeyMenu target={key} account={account} onAction={onAction} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function KeyStatus({ target }: { readonly target: Key }) {
  const state = stateOf(target)
  return (
    <>
      <Status tone={stateTones[state]}>{stateLabels[state]}</Status>
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
    try {
      await api.DELETE('/keys/{keyId}/ban', { params: { path: { keyId: target.id } } })
      showDone(`The key “${target.name}” works again.`)
      await refreshKeys()
    } catch (error) {
      showFailure(error)
    }
  }

  return (
    <>
      {state === 'blocked' && (
        <Button size="xs" variant="default" aria-label={`Unblock key ${target.name}`} onClick={() => void unblock()}>
          Unblock key
        </Button>
      )}
      <Menu>
        <Menu.Target>
          <ActionIcon size={32} aria-label={`More for the key ${target.name}`}>
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => onAction({ kind: 'roll', key: target, account })}>Roll key</Menu.Item>
          <Menu.Item className="danger" onClick={() => onAction({ kind: 'revoke', key: target, account })}>
            Revoke key
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  )
}
