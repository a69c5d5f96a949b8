/** The frame around all pages: masthead, navigation, and the bars with the state of the whole store. */

import { ActionIcon, Button, Flex, type MantineColorScheme, Menu, useMantineColorScheme } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { IconBook2, IconLogout, IconPaw, IconSearch, IconUserCircle } from '@tabler/icons-react'
import { Component, lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import { Link, Route, Switch, useLocation } from 'wouter'
import { isReconnecting, openStream } from '../api/live.ts'
import { pages } from '../pages.tsx'
import { signOut, useSession, useSessionState } from '../session/session.ts'
import { useSignal } from '../signal.ts'
import { useHasLastingDialog } from '../ui/lasting-dialog.tsx'
import { Page } from '../ui/page.tsx'
import { Empty, Failure, LoadingRows } from '../ui/states.tsx'
import { BottomNavigation, SideNavigation } from './navigation.tsx'
import './shell.css'
import { keyName } from '../ui/message-keys.ts'
import { showFailure } from '../ui/notices.tsx'
import { Paw } from '../ui/paw.tsx'
import { StagingBand } from '../ui/staging-band.tsx'

// Loaded when it is opened first.
const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }))

export function Shell() {
  const { environment } = useSession()
  const isSignedIn = useSessionState().status === 'signed-in'
  const isAllowed = !useHasLastingDialog() && isSignedIn
  const [visit, setVisit] = useState(0)
  const search = () => setVisit((before) => before + 1)
  // In fields too: otherwise the browser's search field would take the focus.
  useHotkeys([['mod+K', () => isAllowed && search()]], [])
  const [location] = useLocation()
  useEffect(() => (isSignedIn ? openStream() : undefined), [isSignedIn])
  const [, page = ''] = location.split('/')
  // A page begins at its top, unless the address names a part of it; its panels and filters do not scroll it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls when the page changes
  useEffect(() => {
    if (window.location.hash === '') scrollTo(0, 0)
  }, [page])

  return (
    <Flex direction="column" mih="100dvh" className="shell">
      <a className="skip" href="#main">
        Skip to the content
      </a>
      {environment === 'staging' && <StagingBand />}
      <Masthead onSearch={search} />
      <ConnectionBar />
      <Flex flex="1" className="shell-body">
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
      </Flex>
      <BottomNavigation />
      {visit > 0 && (
        <Suspense fallback={null}>
          <Palette visit={visit} isAllowed={isAllowed} />
        </Suspense>
      )}
    </Flex>
  )
}

/** Shorter interruptions are not shown. */
const graceMs = 1_000

/** Says that the store cannot be reached. */
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
          Reconnecting… The store cannot be reached. This page reconnects automatically.
        </div>
      )}
    </div>
  )
}

/** Limits a fault to its page. With another key, it starts without the fault. */
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

function Masthead({ onSearch }: { readonly onSearch: () => void }) {
  return (
    <header className="masthead">
      <Link href="/" className="masthead-brand" aria-label="Pet Store: overview">
        <Paw size={30} />
        <span>Pet Store</span>
      </Link>
      <button type="button" className="masthead-search" onClick={onSearch} aria-keyshortcuts="Control+K Meta+K">
        <IconSearch size={18} aria-hidden="true" />
        <span className="masthead-search-text">Search pages, actions and animals</span>
        <kbd>{keyName('K')}</kbd>
      </button>
      <OwnerMenu />
    </header>
  )
}

function OwnerMenu() {
  const { owner } = useSession()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const leave = (): Promise<void> => signOut().catch((error) => showFailure(error, undefined, leave))
  return (
    <Menu width={264} closeOnItemClick={false}>
      <Menu.Target>
        <ActionIcon className="masthead-menu" variant="transparent" size={40} aria-label="Your account">
          <IconUserCircle size={26} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown aria-label="Your account">
        <Menu.Label>Signed in as {owner.email}</Menu.Label>
        <Menu.Divider />
        <Menu.Label>Colours</Menu.Label>
        <Menu.RadioGroup value={colorScheme} onChange={(value) => setColorScheme(value as MantineColorScheme)}>
          <Menu.RadioItem value="auto">As on this device</Menu.RadioItem>
          <Menu.RadioItem value="light">Light</Menu.RadioItem>
          <Menu.RadioItem value="dark">Dark</Menu.RadioItem>
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item component="a" href="/docs" leftSection={<IconBook2 size={18} />}>
          Docs, for programmers
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={18} />} onClick={() => void leave()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
