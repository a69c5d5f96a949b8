/** The frame of every page: its title in the window and in its heading, the buttons beside it, and the focus. */

import { type ReactNode, useEffect, useRef } from 'react'
import './page.css'
import { Link } from 'wouter'
import './tabs.css'

interface PageProps {
  /** Also the title of the window: "Animals · Pet Store". */
  readonly title: string
  /** A line below the title. */
  readonly lead?: ReactNode
  /** The buttons for what is most often done here. */
  readonly actions?: ReactNode
  /** Tables use the width of the window; texts and forms do not. */
  readonly width?: 'narrow' | 'wide'
  readonly children: ReactNode
}

export function Page({ title, lead, actions, width = 'wide', children }: PageProps) {
  useTitle(title)
  const heading = useRef<HTMLHeadingElement>(null)
  // Screen readers then announce the page. The first page of a visit leaves the focus where the browser puts it.
  useEffect(() => {
    if (isFollowing) heading.current?.focus({ preventScroll: true })
    isFollowing = true
  }, [])
  return (
    <div className={`page page-${width}`}>
      <header className="page-header">
        <div>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {lead !== undefined && <p className="page-lead">{lead}</p>}
        </div>
        {actions !== undefined && <div className="page-actions">{actions}</div>}
      </header>
      {children}
    </div>
  )
}

let isFollowing = false

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Pet Store`
  }, [title])
}

interface SectionProps {
  readonly title: string
  readonly lead?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A part of a page, on a surface of its own. */
export function Section({ title, lead, actions, children }: SectionProps) {
  return (
    <section className="section" aria-label={title}>
      <header className="section-header">
        <div>
          <h2>{title}</h2>
          {lead !== undefined && <p>{lead}</p>}
        </div>
        {actions !== undefined && <div className="page-actions">{actions}</div>}
      </header>
      {children}
    </section>
  )
}

export interface Tab {
  readonly href: string
  readonly label: string
  /** A number beside the label, as it is shown. */
  readonly count?: string | undefined
  readonly isCurrent: boolean
}

/** Links between the parts of a page, each with an address of its own. */
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
