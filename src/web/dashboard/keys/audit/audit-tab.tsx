/** The audit log: who changed what about keys, accounts and the store. */

import { Button } from '@mantine/core'
import { IconList } from '@tabler/icons-react'
import { useInfiniteQuery, useQueries } from '@tanstack/react-query'
import { Link, useSearchParams } from 'wouter'
import { useAccountNames } from '../../api/accounts.ts'
import { Empty, Failure, LoadingRows } from '../../ui/feedback/states.tsx'
import { Moment } from '../../ui/moment.tsx'
import { ShowMore, TableHead } from '../../ui/table.tsx'
import { type AuditFilters, auditQuery, keyQuery } from '../queries.ts'
import { AuditToolbar, auditFiltersOf } from './filters.tsx'
import { actionWords, actorWords, detailWords, keyIdOf, withinSentence } from './words.ts'

export function AuditTab() {
  const [parameters, setParameters] = useSearchParams()
  const filters = auditFiltersOf(parameters)

  function change(name: string, value: string, isTyping = false): void {
    setParameters(
      (before) => {
        const next = new URLSearchParams(before)
        if (value === '') next.delete(name)
        else next.set(name, value)
        return next
      },
      { replace: isTyping },
    )
  }

  return (
    <>
      <AuditToolbar parameters={parameters} onChange={change} />
      <Entries filters={filters} />
    </>
  )
}

/** Gives the names of keys by their ids; each key is fetched once. */
function useKeyNames(ids: readonly (number | null)[]): (id: number) => string {
  const distinct = [...new Set(ids.filter((id) => id !== null))]
  const keys = useQueries({ queries: distinct.map(keyQuery) })
  const names = new Map(keys.flatMap(({ data }) => (data === undefined ? [] : [[data.id, data.name] as const])))
  return (id) => names.get(id) ?? `Key ${id}`
}

function Entries({ filters }: { readonly filters: AuditFilters }) {
  const log = useInfiniteQuery(auditQuery(filters))
  const entries = log.data?.pages.flatMap(({ items }) => items) ?? []
  const accountName = useAccountNames(entries.map(({ accountId }) => accountId))
  const keyName = useKeyNames(entries.flatMap(({ keyId, actor }) => [keyId, keyIdOf(actor)]))
  if (log.data === undefined) {
    if (log.error !== null) return <Failure error={log.error} onRetry={() => void log.refetch()} />
    return <LoadingRows rows={8} label="Loading the audit log…" />
  }
  if (entries.length === 0 && !log.hasNextPage) {
    if (Object.keys(filters).length > 0) {
      return (
        <Empty
          icon={<IconList size={28} />}
          title="No entry fits"
          actions={
            <Button component={Link} href="/keys/audit" variant="default">
              Show all entries
            </Button>
          }
        />
      )
    }
    return (
      <Empty
        icon={<IconList size={28} />}
        title="Nothing here"
        text="Changes of keys, accounts and the store are listed here."
      />
    )
  }
  return (
    <div className="table-frame">
      <table className="table audit-table">
        <TableHead columns={['When', 'What', { wide: 'Who' }, { wide: 'Account' }, { wide: 'Details' }]} />
        <tbody>
          {entries.map((entry) => (
            <tr key={entry.id}>
              <td className="table-time">
                <Moment time={entry.at} />
              </td>
              <td>
                {actionWords(entry.action)}
                {entry.keyId !== null && <div className="quiet">{keyName(entry.keyId)}</div>}
                <div className="quiet narrow">by {withinSentence(actorWords(entry.actor, keyName))}</div>
                <div className="quiet narrow">{detailWords(entry.details)}</div>
              </td>
              <td className="wide">{actorWords(entry.actor, keyName)}</td>
              <td className="wide">{accountName(entry.accountId)}</td>
              <td className="wide quiet">{detailWords(entry.details)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <ShowMore query={log} label="Show older entries" />
    </div>
  )
}
