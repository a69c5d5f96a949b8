/** An account: its plan, how much of it is used today, and its keys. */

import { Button, Progress } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useSearchParams } from 'wouter'
import { countOf, formatNumber } from '../ui/format.ts'
import { Section } from '../ui/page.tsx'
import { Loaded, LoadingRows } from '../ui/states.tsx'
import { ShowMore } from '../ui/table.tsx'
import { KeyTable } from './key-table.tsx'
import { keysQuery } from './queries.ts'
import { type Account, type KeyAction, keysAddress, plans } from './words.ts'
import './keys.css'

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
            href={keysAddress(parameters, { create: '1', account: String(account.id) })}
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
          <p className="quiet account-empty">{hasOld ? 'No keys.' : 'No active keys.'}</p>
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
