/** The entry point of the dashboard: its providers, and the page that the session allows. */

import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { setNonce } from 'get-nonce'
import { createRoot } from 'react-dom/client'
import { Route, Router, Switch } from 'wouter'
import { queryClient } from './api/queries.ts'
import { loadSession, useSessionState } from './session/session.ts'
import { Shell } from './shell/shell.tsx'
import { SetUpPage } from './sign-in/set-up-page.tsx'
import { SignInAgain } from './sign-in/sign-in-form.tsx'
import { SignInPage } from './sign-in/sign-in-page.tsx'
import { resolveVariables, theme } from './theme/theme.ts'
import { LastingDialog } from './ui/lasting-dialog.tsx'
import { useMessageKeys } from './ui/message-keys.ts'
import { Failure } from './ui/states.tsx'

/**
 * The nonce of the page's Content-Security-Policy, which style elements need. The server writes it into the page; in
 * development there is no policy and the placeholder stays.
 */
const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? ''
// The lock of the page's scrolling behind a dialog makes its own style element.
setNonce(nonce)

// A fragment of the set-up link is a secret: `sign-in/set-up-page.tsx` removes it from the address.
printInLightScheme()
const root = document.getElementById('dashboard')
// Until then, the page shows the outline in its HTML.
if (root !== null) void loadSession().finally(() => createRoot(root).render(<App />))

function App() {
  useMessageKeys()
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={resolveVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queryClient}>
        {/* Before the page for the Tab key: a list may have thousands of rows. */}
        <Notifications position="bottom-center" limit={4} zIndex={500} withinPortal={false} />
        <Router base="/dashboard">
          <Switch>
            <Route path="/setup">
              <SetUpPage />
            </Route>
            <Route>
              <SessionGate />
            </Route>
          </Switch>
        </Router>
      </QueryClientProvider>
    </MantineProvider>
  )
}

function SessionGate() {
  const state = useSessionState()
  // A moment at most: an indicator would only flash.
  if (state.status === 'loading') return null
  if (state.status === 'unreachable') {
    return (
      <main>
        <Failure error={state.error} onRetry={() => void loadSession()} />
      </main>
    )
  }
  if (state.status === 'signed-out') {
    return <SignInPage entrance={state.entrance} />
  }
  return (
    <>
      <Shell />
      <LastingDialog />
      <SignInAgain opened={state.status === 'expired'} email={state.session.owner.email} />
    </>
  )
}

/** Prints every page in the light scheme: browsers do not print backgrounds, and pale text on paper is unreadable. */
function printInLightScheme(): void {
  const root = document.documentElement
  const attribute = 'data-mantine-color-scheme'
  let shown: string | null = null
  addEventListener('beforeprint', () => {
    shown = root.getAttribute(attribute)
    root.setAttribute(attribute, 'light')
  })
  addEventListener('afterprint', () => {
    if (shown !== null) root.setAttribute(attribute, shown)
    shown = null
  })
}
