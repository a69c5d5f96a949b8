/** The orders as a table. */

import type { ComponentProps } from 'react'
import { Link } from 'wouter'
import { formatDay } from '../ui/format.ts'
import { Moment } from '../ui/moment.tsx'
import { Status } from '../ui/status.tsx'
import { OpeningRow, ShowMore, TableHead } from '../ui/table.tsx'
import { animalOf, NextStep } from './next-step.tsx'
import { type Order, orderLabels, orderTones } from './queries.ts'

interface OrderTableProps {
  readonly orders: readonly Order[]
  readonly query: ComponentProps<typeof ShowMore>['query']
  readonly addressOf: (id: number) => string
}

export function OrderTable({ orders, query, addressOf }: OrderTableProps) {
  return (
    <div className="table-frame">
      <table className="table">
        <TableHead
          columns={[
            'Order',
            { wide: 'Note' },
            { wide: 'Status' },
            { wide: 'Placed' },
            { wide: 'Ships' },
            { hidden: 'Next step' },
          ]}
        />
        <tbody>
          {orders.map((order) => (
            <OpeningRow key={order.id}>
              <td className="orders-name">
                <Link href={addressOf(order.id)}>
                  {animalOf(order)} <span className="quiet orders-number">no. {order.id}</span>
                </Link>
                <div className="narrow quiet orders-state">
                  <Status tone={orderTones[order.status]}>{orderLabels[order.status]}</Status>
                  <Moment time={order.createdAt} isRelative />
                </div>
              </td>
              <td className="wide orders-note">{order.note}</td>
              <td className="wide">
                <Status tone={orderTones[order.status]}>{orderLabels[order.status]}</Status>
              </td>
              <td className="wide table-short">
                <Moment time={order.createdAt} isRelative />
              </td>
              <td className="wide table-short">{order.shipDate === null ? '' : formatDay(order.shipDate)}</td>
              <td className="table-actions">
                <NextStep order={order} isShort />
              </td>
            </OpeningRow>
          ))}
        </tbody>
      </table>
      <ShowMore query={query} label="Show more orders" />
    </div>
  )
}
