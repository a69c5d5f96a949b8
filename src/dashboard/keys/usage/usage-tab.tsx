/** The requests of an account by day. */

import { NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useSearchParams } from 'wouter'
import { accountsQuery } from '../../api/accounts.ts'
import type { Schemas } from '../../api/client.ts'
import { DayChart } from '../../ui/chart/chart.tsx'
import { Loaded } from '../../ui/feedback/states.tsx'
import { countOf } from '../../ui/format.ts'
import { Section } from '../../ui/page.tsx'
import { usageQuery } from '../queries.ts'
import type { Account } from '../words.ts'

const periods = [7, 30, 90, 365] as const

export function UsageTab() {
  const accounts = useQuery(accountsQuery)
  return <Loaded query={accounts}>{(found) => <Usage accounts={found} />}</Loaded>
}

function Usage({ accounts }: { readonly accounts: readonly Account[] }) {
  const [parameters, setParameters] = useSearchParams()
  const account = accounts.find(({ id }) => id === Number(parameters.get('account'))) ?? accounts[0]
  const days = periods.find((one) => one === Number(parameters.get('days'))) ?? 30

  function set(name: string, value: string): void {
    setParameters((before) => {
      const next = new URLSearchParams(before)
      next.set(name, value)
      return next
    })
  }

  if (account === undefined) return <p className="quiet">There are no accounts yet.</p>
  return (
    <>
      <div className="toolbar">
        <NativeSelect
          aria-label="Account"
          value={account.id}
          onChange={({ currentTarget }) => set('account', currentTarget.value)}
        >
          {accounts.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </NativeSelect>
        <NativeSelect
          aria-label="Period"
          value={days}
          onChange={({ currentTarget }) => set('days', currentTarget.value)}
        >
          {periods.map((one) => (
            <option key={one} value={one}>
              {one === 365 ? 'A year' : `${one} days`}
            </option>
          ))}
        </NativeSelect>
      </div>
      <AccountUsage account={account} days={days} />
    </>
  )
}

function AccountUsage({ account, days }: { readonly account: Account; readonly days: number }) {
  const usage = useQuery(usageQuery(account.id, days))
  return (
    <Section title={`Requests of ${account.name}`}>
      <Loaded query={usage}>{(found) => <UsageChart label={`Requests of ${account.name}`} usage={found} />}</Loaded>
    </Section>
  )
}

function UsageChart({ label, usage }: { readonly label: string; readonly usage: Schemas['Usage'] }) {
  const days = useMemo(() => usage.map(({ date }) => date), [usage])
  const series = useMemo(
    () => [{ label: 'Requests', color: '--accent', values: usage.map(({ requests }) => requests) }],
    [usage],
  )
  const total = usage.reduce((sum, { requests }) => sum + requests, 0)
  return (
    <>
      <p className="quiet">{countOf(total, 'request')} in this time.</p>
      <DayChart label={label} days={days} series={series} />
    </>
  )
}
