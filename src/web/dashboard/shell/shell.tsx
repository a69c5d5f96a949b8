/** The frame around all pages: masthead, navigation, and the bars that say something about the whole store. */

import { Button } from '@mantine/core'
import { IconPaw } from '@tabler/icons-react'
import { Component, type ReactNode, Suspense, useEffect, useState } from 'react'
import { Link, Route, Switch, useLocation } from 'wouter'
import { isReconnecting, openStream } from '../api/live.ts'
import { pages } from '../pages.tsx'
import { useSession, useSessionState } from '../session/session.ts'
import { useSignal } from '../signal.ts'
import { useHasLastingDialog } from '../ui/lasting-dialog.tsx'
import { Page } from '../ui/page.tsx'
import { Empty, Failure, LoadingRows } from '../ui/states.tsx'
import { Masthead } from './masthead.tsx'
import { BottomNavigation, SideNavigation } from './navigation.tsx'
import { openPalette, Palette } from './palette.tsx'
import './shell.css'

export function Shell() {
  const { environment } = useSession()
  const isSignedIn = useSessionState().status === 'signed-in'
  const hasDialog = useHasLastingDialog()
  const [location] = useLocation()
  useEffect(() => (isSignedIn ? openStream() : undefined), [isSignedIn])
  const [, page = ''] = location.split('/')
  // A page begins at its top, unless the address names a part of it; its own panels and filters leave it where it is.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the page is what is waited for
  useEffect(() => {
    if (window.location.hash === '') scrollTo(0, 0)
  }, [page])

  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to the content
      </a>
      {environment === 'staging' && (
        <section className="staging-band" aria-label="Environment">
          Staging: not your real store
        </section>
      )}
      <Masthead onSearch={openPalette} />
      <ConnectionBar />
      <div className="shell-body">
        <SideNavigation />
        <main id="main" tabIndex={-1}>
          <PageBoundary key={page}>
            <Suspense fallback={<LoadingRows rows={8} label="Loading the page…" />}>
              <Switch>
                {pages.map(({ path, Component }) => (
                  <Route key={path} path={path}>
                    <Component />
                  </Route>
                ))}
                <Route>
                  <NotFoundPage />
                </Route>
              </Switch>
            </Suspense>
          </PageBoundary>
        </main>
      </div>
      <BottomNavigation />
      <Palette isAllowed={isSignedIn && !hasDialog} />
    </div>
  )
}

/** Shorter interruptions pass without a word. */
const graceMs = 1_000

/** Says that the store cannot be reached at the moment. */
function ConnectionBar() {
  const isExpired = useSessionState().status === 'expired'
  const isInterrupted = useSignal(isReconnecting) && !isExpired
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    if (!isInterrupted) {
      setShown(false)
      return
    }
    const timer = setTimeout(() => setShown(true), graceMs)
    return () => clearTimeout(timer)
  }, [isInterrupted])
  return (
    <div role="status">
      {isShown && (
        <div className="connection-bar">
          <span className="connection-dot" aria-hidden="true" />
          Reconnecting… The store cannot be reached. This page continues by itself.
        </div>
      )}
    </div>
  )
}

/** Keeps a fault of one page from taking the whole dashboard away. With another key, it begins without the fault. */
class PageBoundary extends Component<{ readonly children: ReactNode }, { readonly error: unknown }> {
  override state = { error: undefined }

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override render(): ReactNode {
    if (this.state.error === undefined) return this.props.children
    return <Failure error={this.state.error} onRetry={() => location.reload()} />
  }
}

/** An address below /dashboard that is no page. */
function NotFoundPage() {
  return (
    <Page title="Page not found">
      <Empty
        icon={<IconPaw size={28} />}
        title="There is no page at this address"
        text="The link may be old or mistyped."
        actions={
          <Button component={Link} href="/">
            Open the overview
          </Button>
        }
      />
    </Page>
  )
}
