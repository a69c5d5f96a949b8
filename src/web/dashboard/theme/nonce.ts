/**
 * The nonce of the page's Content-Security-Policy, which style elements need. The server writes it into the page; in
 * development there is no policy and the placeholder stays.
 */

import { setNonce } from 'get-nonce'

export const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? ''

// The lock of the page's scrolling behind a dialog makes its own style element.
setNonce(nonce)
