/** Links between the parts of a page, each with an address of its own. */

import { Link } from 'wouter'
import './tabs.css'

export interface Tab {
  readonly href: string
  readonly label: string
  /** A number beside the label, as it is shown. */
  readonly count?: string | undefined
  readonly isCurrent: boolean
}

export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map(({ href, label: text, count, isCurrent }) => (
        <Link key={href} href={href} aria-current={isCurrent ? 'page' : undefined}>
          <span className="tabs-label" data-text={text}>
            {text}
          </span>
          {count !== undefined && <span className="tabs-count">{count}</span>}
        </Link>
      ))}
    </nav>
  )
}
