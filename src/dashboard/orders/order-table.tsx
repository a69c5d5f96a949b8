/** The orders as a table. */

import { Button } from '@mantine/core'
import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import { Link } from 'wouter'
import { formatDay } from '../ui/format.ts'
import { Moment } from '../ui/moment.tsx'
import { Status } from '../ui/status.tsx'
import { animalOf, NextStep } from './next-step.tsx'
import { type Order, orderLabels, orderTones } from './queries.ts'
import '../ui/table.css'

interface OrderTableProps {
  readonly orders: readonly Order[]
  readonly query: Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>
  readonly addressOf: (id: number) => string
}

export function OrderTable({ orders, query, addressOf }: OrderTableProps) {
  return (
    <div className="table-frame">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">Order</th>
            <th scope="col" className="wide">
              Note
            </th>
            <th scope="col">Status</th>
            <th scope="col" className="wide">
              Placed
            </th>
            <th scope="col" className="wide">
              Ships
            </th>
            <th scope="col">
              <span className="visually-hidden">Next step</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {orders.map((order) => (
            <tr key={order.id}>
              <td>
                <Link href={addressOf(order.id)}>
                  {animalOf(order)} <span className="quiet orders-number">no. {order.id}</span>
                </Link>
                <div className="narrow quiet">
                  <Moment time={order.createdAt} isRelative />
                </div>
              </td>
              <td className="wide orders-note">{order.note}</td>
              <td>
                <Status tone={orderTones[order.status]}>{orderLabels[order.status]}</Status>
              </td>
              <td className="wide table-short">
                <Moment time={order.createdAt} isRelative />
              </td>
              <td className="wide table-short">{order.shipDate === null ? '' : formatDay(order.shipDate)}</td>
              <td className="table-actions">
                <NextStep order={order} isShort />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {query.hasNextPage && (
        <div className="table-more">
          <Button variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            Show more orders
          </Button>
        </div>
      )}
    </div>
  )
}
