/** The audit log: who changed keys, accounts, animals and the store. Its filters are in the address of the page. */

import { Button, NativeSelect, SimpleGrid, Table, TextInput } from '@mantine/core'
import { IconList } from '@tabler/icons-react'
import { useInfiniteQuery, useQueries } from '@tanstack/react-query'
import type { ChangeEvent } from 'react'
import { Link, useSearchParams } from 'wouter'
import { useAccountNames } from '../api/accounts.ts'
import type { Schemas } from '../api/client.ts'
import { AccountField } from '../ui/account-field.tsx'
import { defined, endOfDay, idIn, lastDay, startOfDay, withParameters } from '../ui/input.ts'
import { Moment } from '../ui/moment.tsx'
import { Quiet } from '../ui/small.ts'
import { Empty, Loaded, LoadingRows } from '../ui/states.tsx'
import { RecordTable, ShowMore, TableFrame, wide } from '../ui/table.tsx'
import { actionWords, actorWords, detailWords, keyIdOf, withinSentence } from './audit-words.ts'
import { type AuditFilters, auditQuery, keyQuery } from './queries.ts'

const actors = [
  { value: '', label: 'Everybody' },
  { value: 'owner', label: 'You' },
  { value: 'key', label: 'API keys' },
  { value: 'command', label: 'Commands' },
  { value: 'system', label: 'The store itself' },
]

const areas = [
  { value: '', label: 'Everything' },
  { value: 'key', label: 'Keys' },
  { value: 'account', label: 'Accounts' },
  { value: 'webhook', label: 'Webhooks' },
  { value: 'pet', label: 'Animals' },
  { value: 'import', label: 'Imports' },
  { value: 'pets', label: 'Exports' },
  { value: 'backup', label: 'Backups' },
  { value: 'session', label: 'Sign-ins' },
  { value: 'owner', label: 'E-mail and password' },
  { value: 'project', label: 'Projects' },
  { value: 'deploy', label: 'Published websites' },
  { value: 'domain', label: 'Domains' },
]

/** The filters in an address, as the API takes them. Days are those of this time zone; the last one is included. */
function filtersOf(parameters: URLSearchParams): AuditFilters {
  const valueIn = (choices: typeof actors, name: string) =>
    choices.find(({ value }) => value !== '' && value === parameters.get(name))?.value
  return defined({
    actor: valueIn(actors, 'who'),
    action: valueIn(areas, 'what'),
    accountId: idIn(parameters, 'account') || undefined,
    from: startOfDay(parameters.get('from')),
    to: endOfDay(parameters.get('to')),
  })
}

export function AuditTab() {
  const [parameters, setParameters] = useSearchParams()
  const filters = filtersOf(parameters)
  const query = useInfiniteQuery(auditQuery(filters))

  const change = (name: string, value: string, replace = false) =>
    setParameters((before) => withParameters(before, { [name]: value }), { replace })
  const choice = (name: string) => ({
    value: parameters.get(name) ?? '',
    onChange: ({ currentTarget }: ChangeEvent<HTMLSelectElement>) => change(name, currentTarget.value),
  })
  const day = (name: string) => ({
    type: 'date',
    max: lastDay,
    value: startOfDay(parameters.get(name)) === undefined ? '' : (parameters.get(name) ?? ''),
    // It changes with every digit that is typed: these changes are no steps for "Back".
    onChange: ({ currentTarget }: ChangeEvent<HTMLInputElement>) => change(name, currentTarget.value, true),
  })

  return (
    <>
      <search>
        <SimpleGrid cols={{ base: 2, sm: 3, md: 5 }} spacing="xs" maw="60rem">
          <NativeSelect label="Who" data={actors} {...choice('who')} />
          <NativeSelect label="What" data={areas} {...choice('what')} />
          <AccountField
            none="All accounts"
            value={idIn(parameters, 'account')}
            onChange={(id) => id !== undefined && change('account', id === 0 ? '' : String(id))}
          />
          <TextInput label="From" {...day('from')} />
          <TextInput label="To" {...day('to')} />
        </SimpleGrid>
      </search>
      <Loaded query={query} loading={<LoadingRows rows={8} label="Loading the audit log…" />}>
        {(entries) =>
          entries.length === 0 && !query.hasNextPage ? (
            <NoEntries isFiltered={Object.keys(filters).length > 0} />
          ) : (
            <TableFrame>
              <Entries entries={entries} />
              <ShowMore query={query} label="Show older entries" />
            </TableFrame>
          )
        }
      </Loaded>
    </>
  )
}

function NoEntries({ isFiltered }: { readonly isFiltered: boolean }) {
  const icon = <IconList size={28} />
  if (!isFiltered) {
    return (
      <Empty
        icon={icon}
        title="No entries yet"
        text="Changes of keys, accounts, animals and the store are listed here."
      />
    )
  }
  return (
    <Empty
      icon={icon}
      title="No matching entries"
      actions={
        <Button component={Link} href="/keys/audit" variant="default">
          Show all entries
        </Button>
      }
    />
  )
}

/** Gives the names of keys by their ids; each key is fetched once. */
function useKeyNames(ids: readonly (number | null)[]): (id: number) => string {
  const distinct = [...new Set(ids.filter((id) => id !== null))]
  const keys = useQueries({ queries: distinct.map(keyQuery) })
  const names = new Map(keys.flatMap(({ data }) => (data === undefined ? [] : [[data.id, data.name] as const])))
  return (id) => names.get(id) ?? `Key ${id}`
}

function Entries({ entries }: { readonly entries: readonly Schemas['AuditEntry'][] }) {
  const accountName = useAccountNames(entries.map(({ accountId }) => accountId))
  const keyName = useKeyNames(entries.flatMap(({ keyId, actor }) => [keyId, keyIdOf(actor)]))
  return (
    <RecordTable
      columns={[
        { title: 'When', miw: '5.5rem' },
        // The words of an action stay on one line; the details have the rest.
        { title: 'What', miw: 'min(9rem, 30vw)' },
        { ...wide('Who'), miw: '7rem' },
        { ...wide('Account'), miw: '7rem' },
        wide('Details'),
      ]}
    >
      {entries.map((entry) => (
        <Table.Tr key={entry.id}>
          <Table.Td>
            <Moment time={entry.at} />
          </Table.Td>
          <Table.Td>
            {actionWords(entry.action, entry.details)}
            {entry.keyId !== null && <Quiet>{keyName(entry.keyId)}</Quiet>}
            <Quiet hiddenFrom="sm">by {withinSentence(actorWords(entry.actor, keyName))}</Quiet>
            <Quiet hiddenFrom="sm">{detailWords(entry.details)}</Quiet>
          </Table.Td>
          <Table.Td visibleFrom="sm">{actorWords(entry.actor, keyName)}</Table.Td>
          <Table.Td visibleFrom="sm">{accountName(entry.accountId)}</Table.Td>
          <Table.Td visibleFrom="sm" c="dimmed" fz="sm">
            {detailWords(entry.details)}
          </Table.Td>
        </Table.Tr>
      ))}
    </RecordTable>
  )
}
