/** How every feature's routes are set up: the same Elysia options and a `caller` in the context. */

import { Elysia } from 'elysia'
import type { Caller } from '../keys/authenticate.ts'

/** Stands in the context until admission has put the real caller there. */
const nobody: Caller = {
  keyId: 0,
  keyName: '',
  accountId: 0,
  plan: 'free',
  allowance: { perMinute: 0, perDay: 0 },
  policy: '',
  scopes: new Set(),
  expiresAtMs: 0,
}

export interface FeatureOptions<Prefix extends string> {
  readonly prefix: Prefix
  readonly tags?: string[]
}

export function feature<const Prefix extends string = ''>(options: FeatureOptions<Prefix>) {
  return new Elysia({
    ...options,
    // What isn't described is ignored by reading only what is, not by copying every body.
    normalize: false,
    strictPath: true,
    handler: { standardHostname: false },
  })
    .decorate('caller', nobody)
    .decorate('bodyDigest', '')
}
