/** Checks an API key when it is entered, not at the first request that uses it. */

/** What GET /v1/keys/current says of a key, as far as it is shown. */
export interface CurrentKey {
  readonly name: string
  readonly plan: string
  readonly scopes: readonly string[]
  readonly expiresAt: string | null
  readonly environment: string
  readonly limits: { readonly perMinute: number; readonly perDay: number }
}

export type KeyCheck =
  /** `current` is undefined for a valid key whose limit is used up: `message` says until when. */
  | { readonly isValid: true; readonly current: CurrentKey | undefined; readonly message: string }
  | { readonly isValid: false; readonly message: string }

const timeoutMs = 10_000

/** The key in a text that was pasted: without the white space around it, and without `Bearer` in front. */
export function keyIn(text: string): string {
  return text.trim().replace(/^(authorization:\s*)?bearer\s+/i, '')
}

/** Asks the server at `url` (ending in `/v1`) about a key. Never throws. */
export async function checkKey(url: string, key: string): Promise<KeyCheck> {
  if (key === '') return rejected('Paste an API key first. It begins with pet_live_ or pet_test_.')
  // Anything else can't be a header's value, and the browser's error would not say so.
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
    // The order of checks is the key, then its limits: the key itself is valid.
    if (response.status === 429) return { isValid: true, current: undefined, message }
    return rejected(`The key could not be checked. ${message} Try again in a moment.`)
  } catch (error) {
    const isTimeout = error instanceof DOMException && error.name === 'TimeoutError'
    return rejected(
      isTimeout
        ? `The key could not be checked: the server did not respond within ${timeoutMs / 1000} seconds. Try again.`
        : 'The key could not be checked: the server can not be reached. Check that it is running, then try again.',
    )
  }
}

function rejected(message: string): KeyCheck {
  return { isValid: false, message }
}
