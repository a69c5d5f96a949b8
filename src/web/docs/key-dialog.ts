/**
 * The dialog of the button "Authorize". It checks the key when it is entered, and closes if the key can be used. Opened again,
 * it shows the key's plan and scopes. It is a native modal dialog: the focus moves into it, stays there, and returns to the
 * button that opened it; Escape closes it.
 */

import type { UiPlugin, UiSystem } from 'swagger-ui-dist/swagger-ui-es-bundle.js'

/** The name of the security scheme in the description. */
const scheme = 'bearerAuth'

type DialogProps = Pick<UiSystem, 'authActions' | 'authSelectors' | 'specSelectors'>

export const keyDialog: UiPlugin = ({ React }) => {
  const { createElement: h, useEffect, useRef, useState } = React

  return { components: { authorizationPopup: KeyDialog } }

  function KeyDialog({ authActions, authSelectors, specSelectors }: DialogProps) {
    const dialog = useRef<HTMLDialogElement>(null)
    const input = useRef<HTMLInputElement>(null)
    const done = useRef<HTMLButtonElement>(null)
    const [isChecking, setChecking] = useState(false)
    const [check, setCheck] = useState<KeyCheck | undefined>(undefined)
    /** Whether the key of an earlier visit was removed: the result of its check is then not shown. */
    const isLoggedOut = useRef(false)
    const authorization = authSelectors.authorized().get(scheme) as { get(name: string): string } | undefined
    const authorizedKey = authorization?.get('value')
    const url = `${location.origin}/v1`

    useEffect(() => {
      dialog.current?.showModal()
      // A key of an earlier visit may have expired since.
      if (authorizedKey !== undefined) {
        void checkKey(url, authorizedKey).then((found) => isLoggedOut.current !== true && setCheck(found))
      }
      return undefined
    }, [])

    async function submit(event: Event): Promise<void> {
      event.preventDefault()
      if (isChecking) return
      const key = keyIn(input.current?.value ?? '')
      setChecking(true)
      const found = await checkKey(url, key)
      setChecking(false)
      setCheck(found)
      // The dialog may have been closed meanwhile.
      if (dialog.current?.open !== true) return
      if (!found.isValid) return input.current?.focus()
      const schema = specSelectors.securityDefinitions().get(scheme)
      authActions.authorizeWithPersistOption({ [scheme]: { name: scheme, schema, value: key } })
      if (found.current !== undefined) close()
      else done.current?.focus()
    }

    function logOut(): void {
      isLoggedOut.current = true
      authActions.logoutWithPersistOption([scheme])
      setCheck(undefined)
    }

    const close = () => dialog.current?.close()
    const isAuthorized = authorizedKey !== undefined
    return h(
      'dialog',
      {
        ref: dialog,
        className: 'key-dialog',
        'aria-labelledby': 'key-dialog-title',
        onClose: () => authActions.showDefinitions(false),
        onClick: (event: Event) => event.target === dialog.current && close(),
      },
      h(
        'form',
        { onSubmit: submit, noValidate: true },
        h('h2', { id: 'key-dialog-title' }, 'API key'),
        isAuthorized
          ? h('p', null, 'Requests from this page are sent with ', h('code', null, shortened(authorizedKey)), '.')
          : [
              h('label', { key: 'label', htmlFor: 'key-dialog-key' }, 'Paste your API key'),
              h('input', {
                key: 'input',
                id: 'key-dialog-key',
                ref: input,
                type: 'text',
                autoFocus: true,
                autoComplete: 'off',
                autoCapitalize: 'off',
                spellCheck: false,
                placeholder: 'pet_live_…',
                'aria-describedby': 'key-dialog-result',
                'aria-invalid': check?.isValid === false,
              }),
            ],
        h(
          'div',
          { id: 'key-dialog-result', className: 'key-dialog-result', role: 'status' },
          isChecking ? 'Checking the key…' : resultOf(check),
        ),
        h(
          'div',
          { className: 'key-dialog-buttons' },
          isAuthorized
            ? h('button', { key: 'out', type: 'button', className: 'btn', onClick: logOut }, 'Log out')
            : h('button', { key: 'in', type: 'submit', className: 'btn authorize' }, 'Authorize'),
          h('button', { type: 'button', className: 'btn', ref: done, onClick: close }, 'Close'),
        ),
        h('p', { className: 'key-dialog-note' }, 'The key is kept in this browser until you log out.'),
      ),
    )
  }

  function resultOf(check: KeyCheck | undefined) {
    if (check === undefined) return null
    if (!check.isValid) return h('p', { className: 'key-dialog-error' }, check.message)
    if (check.current === undefined) return h('p', null, `The key is valid, but cannot be used now. ${check.message}`)
    const { name, plan, scopes, expiresAt, environment, limits } = check.current
    return h(
      'dl',
      null,
      ...[
        ['Key', `${name}, valid for ${environment}`],
        ['Plan', `${plan}: ${limits.perMinute.toLocaleString()} a minute, ${limits.perDay.toLocaleString()} a day`],
        ['Scopes', scopes.join(', ')],
        ...(expiresAt === null ? [] : [['Expires', new Date(expiresAt).toLocaleString()]]),
      ].flatMap(([term = '', text = '']) => [h('dt', { key: term }, term), h('dd', { key: `${term} text` }, text)]),
    )
  }
}

function shortened(key: string): string {
  return `${key.slice(0, 14)}…`
}

/** The members of the response to GET /v1/keys/current that are shown. */
interface CurrentKey {
  readonly name: string
  readonly plan: string
  readonly scopes: readonly string[]
  readonly expiresAt: string | null
  readonly environment: string
  readonly limits: { readonly perMinute: number; readonly perDay: number }
}

type KeyCheck =
  /** `current` is undefined for a valid key whose limit is used up; `message` then contains the time to wait. */
  | { readonly isValid: true; readonly current: CurrentKey | undefined; readonly message: string }
  | { readonly isValid: false; readonly message: string }

const timeoutMs = 10_000
/** No key is this long. */
const longestKey = 200

/** The key in a pasted text, without surrounding white space and a leading `Bearer`. */
function keyIn(text: string): string {
  return text.trim().replace(/^(authorization:\s*)?bearer\s+/i, '')
}

/** Checks a key by a request to the server at `url` (ending in `/v1`). Never throws. */
async function checkKey(url: string, key: string): Promise<KeyCheck> {
  if (key === '') return rejected('Paste an API key first. It begins with pet_live_ or pet_test_.')
  // The server limits the length of headers.
  if (key.length > longestKey) return rejected('This is not an API key: it is longer than any key. Copy it again.')
  // Other characters cannot be in a header, and the browser's error would not explain it.
  if (!/^[\x21-\x7e]+$/.test(key)) {
    return rejected('This is not an API key: it contains spaces or characters that no key has. Copy it again.')
  }
  try {
    const response = await fetch(`${url}/keys/current`, {
      headers: { Authorization: `Bearer ${key}` },
      cache: 'no-store',
      signal: AbortSignal.timeout(timeoutMs),
    })
    const body: unknown = await response.json().catch(() => undefined)
    if (response.ok) return { isValid: true, current: body as CurrentKey, message: '' }
    const { message = `The server responded with ${response.status}.` } = (body ?? {}) as { message?: string }
    if (response.status === 401) return rejected(message)
    // The server checks the key before its limits: the key is valid.
    if (response.status === 429) return { isValid: true, current: undefined, message }
    return rejected(`The key could not be checked. ${message} Try again in a moment.`)
  } catch (error) {
    const isTimeout = error instanceof DOMException && error.name === 'TimeoutError'
    return rejected(
      isTimeout
        ? `The key could not be checked: the server did not respond within ${timeoutMs / 1000} seconds. Try again.`
        : 'The key could not be checked: the server cannot be reached. Check that it is running, then try again.',
    )
  }
}

function rejected(message: string): KeyCheck {
  return { isValid: false, message }
}
