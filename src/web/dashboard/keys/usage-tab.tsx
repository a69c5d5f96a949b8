/** The requests of an account by day. */

import { NativeSelect, SimpleGrid } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useSearchParams } from 'wouter'
import { useAccountNames } from '../api/accounts.ts'
import type { Schemas } from '../api/client.ts'
import { useSession } from '../session/session.ts'
import { AccountField } from '../ui/account-field.tsx'
import { DayChart } from '../ui/chart.tsx'
import { countOf, isolated } from '../ui/format.ts'
import { idIn, withParameters } from '../ui/input.ts'
import { Section } from '../ui/page.tsx'
import { Quiet } from '../ui/small.ts'
import { Loaded } from '../ui/states.tsx'
import { usageQuery } from './queries.ts'

const periods = [7, 30, 90, 365] as const

export function UsageTab() {
  const { account: own } = useSession()
  const [parameters, setParameters] = useSearchParams()
  const accountId = idIn(parameters, 'account') || own.id
  const days = periods.find((one) => one === Number(parameters.get('days'))) ?? 30

  const set = (name: string, value: string) => setParameters((before) => withParameters(before, { [name]: value }))

  return (
    <>
      <SimpleGrid cols={2} spacing="xs" maw="26rem">
        <AccountField
          isUnlabelled
          value={accountId}
          onChange={(id) => id !== undefined && set('account', String(id))}
        />
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
      </SimpleGrid>
      <AccountUsage accountId={accountId} days={days} />
    </>
  )
}

function AccountUsage({ accountId, days }: { readonly accountId: number; readonly days: number }) {
  const usage = useQuery(usageQuery(accountId, days))
  const title = `Requests of ${isolated(useAccountNames([accountId])(accountId))}`
  return (
    <Section title={title}>
      <Loaded query={usage}>{(found) => <UsageChart label={title} usage={found} />}</Loaded>
    </Section>
  )
}

function UsageChart({ label, usage }: { readonly label: string; readonly usage: Schemas['Usage'] }) {
  const total = usage.reduce((sum, { requests }) => sum + requests, 0)
  return (
    <>
      <Quiet mb="sm">{countOf(total, 'request')} in this period.</Quiet>
      <DayChart
        label={label}
        days={usage.map(({ date }) => date)}
        series={[{ label: 'Requests', color: '--accent', values: usage.map(({ requests }) => requests) }]}
      />
    </>
  )
}
