/** The frame around all pages: masthead, navigation, and the bars that say something about the whole store. */

import { Suspense, useEffect } from 'react'
import { Route, Switch, useLocation } from 'wouter'
import { openStream } from '../live/stream.ts'
import { pages } from '../pages.tsx'
import { useSession, useSessionState } from '../session/use-session.ts'
import { useLastingDialog } from '../ui/feedback/lasting-dialog.tsx'
import { LoadingRows } from '../ui/feedback/states.tsx'
import { ConnectionBar } from './connection-bar.tsx'
import { Masthead } from './masthead.tsx'
import { BottomNavigation, SideNavigation } from './navigation.tsx'
import { NotFoundPage } from './not-found-page.tsx'
import { PageBoundary } from './page-boundary.tsx'
import { Palette } from './palette/palette.tsx'
import { usePalette } from './palette/use-palette.ts'
import './shell.css'

export function Shell() {
  const { environment } = useSession()
  const isSignedIn = useSessionState().status === 'signed-in'
  const hasDialog = useLastingDialog().isOpen
  const palette = usePalette(isSignedIn && !hasDialog)
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
      <Masthead onSearch={palette.open} />
      <ConnectionBar />
      <div className="shell-body">
        <SideNavigation />
        <main id="main" tabIndex={-1}>
          <PageBoundary page={page}>
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
      <Palette opened={palette.isOpen} visit={palette.visit} onClose={palette.close} />
    </div>
  )
}
