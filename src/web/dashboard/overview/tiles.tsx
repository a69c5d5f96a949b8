/** The numbers of the store, each a link to what it counts. */

import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { formatNumber } from '../ui/format.ts'
import type { Overview } from './queries.ts'

export function Tiles({ overview: { animals, orders, days } }: { readonly overview: Overview }) {
  const today = days.at(-1)
  const rejected = today?.rejected ?? 0
  return (
    <ul className="tiles" aria-label="Numbers of the store">
      <Tile href="/animals?status=available" label="Available animals" value={animals.available} />
      <Tile href="/animals?status=pending" label="Pending animals" value={animals.pending} />
      <Tile href="/animals?status=sold" label="Sold animals" value={animals.sold} />
      <Tile href="/orders?status=placed" label="Open orders" value={orders.placed + orders.approved}>
        {formatNumber(orders.placed)} to approve, {formatNumber(orders.approved)} to deliver
      </Tile>
      <Tile href="/keys/usage" label="Requests today" value={today?.requests ?? 0}>
        {rejected === 0 ? 'None rejected' : `${formatNumber(rejected)} rejected`}
      </Tile>
    </ul>
  )
}

interface TileProps {
  readonly href: string
  readonly label: string
  readonly value: number
  readonly children?: ReactNode
}

function Tile({ href, label, value, children }: TileProps) {
  return (
    <li>
      <Link href={href} className="tile">
        <span className="tile-label">{label}</span>
        <span className="tile-value">{formatNumber(value)}</span>
        {children !== undefined && <span className="tile-note">{children}</span>}
      </Link>
    </li>
  )
}
