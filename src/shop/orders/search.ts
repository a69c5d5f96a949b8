/** Pages of the orders whose number is, or whose animal's name or note contains, a text. */

import type { Database } from 'bun:sqlite'
import { collectMatches, type IdRange, type Matches, windowScan } from '../../lib/steps/collect.ts'
import { foldedText } from '../../lib/text.ts'
import type { OrderFilter, OrderRow } from './table.ts'

/** The number of ids that are examined at a time, in about a millisecond. */
const windowSize = 4_096

type Parameters = Record<string, string | number>

export interface OrderSearchParts {
  readonly connection: Database
  readonly monotonic: () => number
}

/**
 * Returns a function that finds at most `limit` orders of a range that match the filter, in its order. A search that runs
 * out of time returns the last id that it has examined.
 */
export function createOrderSearch({ connection, monotonic }: OrderSearchParts) {
  const highestId = connection.prepare<{ id: number | null }, []>('SELECT max(id) AS id FROM orders')
  const statements = new Map<string, ReturnType<typeof prepare>>()

  function prepare({ accountId, status, petId }: OrderFilter, order: IdRange['order']) {
    const equals = [
      ...(accountId === undefined ? [] : ['account_id = $accountId']),
      ...(status === undefined ? [] : ['status = $status']),
      ...(petId === undefined ? [] : ['pet_id = $petId']),
    ].map((condition) => `AND ${condition}`)
    // SQLite's lower() folds ASCII texts completely. Every order with another text is a candidate.
    const contains = (column: string) =>
      `instr(lower(${column}), $folded) > 0 OR octet_length(${column}) <> length(${column})`
    return connection.prepare<OrderRow, [Parameters]>(
      `SELECT ${columns} FROM orders WHERE id > $low AND id < $high ${equals.join(' ')}
         AND (id = $number OR ${contains('pet_name')} OR ${contains('note')})
       ORDER BY id ${order} LIMIT $most`,
    )
  }

  function scanOf(filter: OrderFilter, order: IdRange['order'], folded: string, number: number) {
    const { accountId, status, petId } = filter
    const given = Object.entries({ accountId, status, petId }).filter(([, value]) => value !== undefined)
    const fixed: Parameters = { ...(Object.fromEntries(given) as Parameters), folded, number }
    const name = [order, ...given.map(([member]) => member)].join(' ')
    const statement = statements.get(name) ?? prepare(filter, order)
    statements.set(name, statement)
    return windowScan(windowSize, (window) => statement.all({ ...fixed, ...window }))
  }

  return (q: string, filter: OrderFilter, range: IdRange, limit: number): Matches<OrderRow> => {
    const folded = foldedText(q)
    const number = numberOf(q)
    const existing = { ...range, below: Math.min(range.below, (highestId.get()?.id ?? 0) + 1) }
    const contains = (text: string | null) => text !== null && foldedText(text).includes(folded)
    const isMatch = ({ id, petName, note }: OrderRow) => id === number || contains(petName) || contains(note)
    return collectMatches(scanOf(filter, range.order, folded, number), existing, limit, isMatch, monotonic)
  }
}

const columns = `id, account_id AS accountId, pet_id AS petId, pet_name AS petName, note, status, ship_date AS shipDate,
  created_at AS createdAt, updated_at AS updatedAt, approved_at AS approvedAt, delivered_at AS deliveredAt, cancelled_at AS cancelledAt`

/** The number that a text such as `12` or `#12` is, 0 if it is none. */
function numberOf(q: string): number {
  return Number(/^\s*#?([1-9][0-9]{0,14})\s*$/.exec(q)?.[1] ?? 0)
}
