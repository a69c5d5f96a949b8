/** The HTTP probe: whether the public addresses lead to this service. Its implementation is an option of the check. */

/** `other`: another server has responded. */
export interface ProbeResult {
  readonly address: string
  readonly kind: 'ok' | 'other' | 'unreachable'
  /** The observation, for people, as in `connection refused`. */
  readonly detail: string
}

/**
 * Fetches a fixed path with `hostname` as Host from one public address, follows no redirect, and never rejects.
 */
export type HttpProbe = (hostname: string, address: string, signal: AbortSignal) => Promise<ProbeResult>
