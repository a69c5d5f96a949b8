/** Checks an API key when it is entered, not at the first request that uses it. */

/** The members of the response to GET /v1/keys/current that are shown. */
export interface CurrentKey {
  readonly name: string
  readonly plan: string
  readonly scopes: readonly string[]
  readonly expiresAt: string | null
  readonly environment: string
  readonly limits: { readonly perMinute: number; readonly perDay: number }
}

export type KeyCheck =
  /** `current` is undefined for a valid key whose limit is used up; `message` then contains the time to wait. */
  | { readonly isValid: true; readonly current: CurrentKey | undefined; readonly message: string }
  | { readonly isValid: false; readonly message: string }

const timeoutMs = 10_000
/** More than any key has. */
const longestKey = 200

/** The key in a pasted text, without surrounding white space and a leading `Bearer`. */
export function keyIn(text: string): string {
  return text.trim().replace(/^(authorization:\s*)?bearer\s+/i, '')
}

/** Checks a key by a request to the server at `url` (ending in `/v1`). Never throws. */
export async function checkKey(url: string, key: string): Promise<KeyCheck> {
  if (key === '') return rejected('Paste an API key first. It begins with pet_live_ or pet_test_.')
  // The server does not take headers of any length.
  if (key.length > longestKey) return rejected('This is not an API key: it is longer than any key. Copy it again.')
  // Other texts cannot be the value of a header, and the browser's error would not explain it.
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
