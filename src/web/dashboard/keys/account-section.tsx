/** An account: its plan, its use today, and its keys with their permissions and states. */

import { Flex, Menu, Progress, Table } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useSearchParams } from 'wouter'
import { api } from '../api/client.ts'
import { ChangeButton } from '../ui/change.tsx'
import { countOf, formatDay, formatNumber, isolated } from '../ui/format.ts'
import { Moment } from '../ui/moment.tsx'
import { showDone } from '../ui/notices.tsx'
import { Section } from '../ui/page.tsx'
import { RecordMenu } from '../ui/record-menu.tsx'
import { Quiet, SmallButton } from '../ui/small.ts'
import { Loaded, LoadingRows } from '../ui/states.tsx'
import { Status } from '../ui/status.tsx'
import { buttons, RecordTable, ShowMore, wide } from '../ui/table.tsx'
import { keysQuery } from './queries.ts'
import {
  type Account,
  accessOf,
  type Key,
  type KeyAction,
  type KeyState,
  keyStates,
  keysAddress,
  plans,
  stateOf,
} from './words.ts'

interface AccountSectionProps {
  readonly account: Account
  /** Whether revoked and expired keys are shown too. */
  readonly hasOld: boolean
  readonly onAction: (action: KeyAction) => void
}

export function AccountSection({ account, hasOld, onAction }: AccountSectionProps) {
  const [parameters] = useSearchParams()
  return (
    <Section
      title={account.name}
      lead={`${plans[account.plan].label} plan: ${countOf(account.perMinute, 'request')} a minute, ${formatNumber(account.perDay)} a day`}
      actions={
        <>
          <SmallButton
            aria-label={`Change plan of ${account.name}`}
            onClick={() => onAction({ kind: 'plan', account })}
          >
            Change plan
          </SmallButton>
          <SmallButton
            component={Link}
            href={keysAddress(parameters, { create: '1', account: String(account.id) })}
            leftSection={<IconPlus size={14} />}
            aria-label={`Create key for ${account.name}`}
          >
            Create key
          </SmallButton>
        </>
      }
    >
      <UsageBar account={account} />
      <Keys account={account} hasOld={hasOld} onAction={onAction} />
    </Section>
  )
}

const rowsWhileLoading = 10

function Keys({ account, hasOld, onAction }: AccountSectionProps) {
  const query = useInfiniteQuery(keysQuery(account.id, hasOld))
  const rows = Math.min(account.keyCount, rowsWhileLoading)
  return (
    <Loaded query={query} loading={<LoadingRows rows={rows} height={62} label="Loading the keys…" />}>
      {(keys) =>
        keys.length === 0 ? (
          <Quiet>{hasOld ? 'No keys.' : 'No active keys.'}</Quiet>
        ) : (
          <>
            <KeyTable account={account} keys={keys} onAction={onAction} />
            <ShowMore query={query} label="Show more keys" of={account.name} />
          </>
        )
      }
    </Loaded>
  )
}

const nearlyUsed = 80

function UsageBar({ account }: { readonly account: Account }) {
  const used = account.usedToday
  const percent = Math.min(100, (used / account.perDay) * 100)
  return (
    <Flex direction={{ base: 'column', sm: 'row' }} align={{ sm: 'center' }} gap={{ base: 4, sm: 'sm' }} mb="xs">
      <Progress.Root size="lg" w={{ sm: '16rem' }}>
        <Progress.Section
          value={percent}
          color={percent >= nearlyUsed ? 'amber' : 'brand'}
          aria-label={`Requests of ${account.name} today`}
        />
      </Progress.Root>
      <Quiet td="underline" component={Link} href={`/keys/usage?account=${account.id}`}>
        {formatNumber(used)} of {formatNumber(account.perDay)} requests today
      </Quiet>
    </Flex>
  )
}

interface KeyTableProps {
  readonly account: Account
  readonly keys: readonly Key[]
  readonly onAction: (action: KeyAction) => void
}

function KeyTable({ account, keys, onAction }: KeyTableProps) {
  return (
    <RecordTable
      // From tablets on, the columns are the same in the card of every account; a time is on one line.
      isInSection
      columns={[
        { title: 'Key', w: { lg: '20%' } },
        { title: 'Permissions', visibleFrom: 'lg' },
        { ...wide('Last used'), w: '9rem' },
        { title: 'Expires', visibleFrom: 'lg', w: '7.5rem' },
        { title: 'State', w: { sm: '9rem' } },
        { ...buttons('Actions'), w: { sm: '4rem' } },
      ]}
    >
      {keys.map((key) => {
        const state = stateOf(key)
        return (
          <Table.Tr key={key.id}>
            <Table.Td>
              <strong>{key.name}</strong>
              <Quiet>{key.prefix}…</Quiet>
              {/* Separate columns would be one word wide. */}
              <Quiet hiddenFrom="lg">
                {accessOf(key.scopes)}
                {key.expiresAt === null ? ', never expires' : `, expires ${formatDay(key.expiresAt)}`}
              </Quiet>
            </Table.Td>
            <Table.Td visibleFrom="lg">{accessOf(key.scopes)}</Table.Td>
            <Table.Td visibleFrom="sm">
              {key.lastUsedAt === null ? 'Never' : <Moment time={key.lastUsedAt} isRelative />}
            </Table.Td>
            <Table.Td visibleFrom="lg">{key.expiresAt === null ? 'Never' : formatDay(key.expiresAt)}</Table.Td>
            <Table.Td>
              <KeyStatus target={key} state={state} />
            </Table.Td>
            <Table.Td ta="end">
              {state !== 'revoked' && (
                <RecordMenu label={`More for the key ${key.name}`}>
                  <Menu.Item onClick={() => onAction({ kind: 'roll', key, account })}>Replace key (roll)</Menu.Item>
                  <Menu.Item c="var(--bad)" onClick={() => onAction({ kind: 'revoke', key, account })}>
                    Revoke key
                  </Menu.Item>
                </RecordMenu>
              )}
            </Table.Td>
          </Table.Tr>
        )
      })}
    </RecordTable>
  )
}

/** Its state; a blocked key can be unblocked there. */
function KeyStatus({ target: { id, name, bannedUntil }, state }: { readonly target: Key; readonly state: KeyState }) {
  async function unblock(): Promise<void> {
    await api.DELETE('/keys/{keyId}/ban', { params: { path: { keyId: id } } })
    showDone(`The key “${isolated(name)}” works again.`)
  }

  return (
    <>
      <Status of={keyStates[state]} />
      {state === 'blocked' && bannedUntil !== null && (
        <>
          <Quiet>
            ends <Moment time={bannedUntil} isRelative />
          </Quiet>
          <ChangeButton mt={4} aria-label={`Unblock key ${name}`} change={unblock}>
            Unblock key
          </ChangeButton>
        </>
      )}
    </>
  )
}
