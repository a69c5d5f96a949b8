/** The certificate authority that CAA records must allow, by the options and by what its directory and account say. */

import type { HostingConfig } from '../../config/hosting.ts'
import type { CaaExpectation } from '../../dns/request.ts'

/** The part of the authority that CAA records name. */
export interface KnownAuthority {
  readonly caaIdentities: readonly string[]
  readonly accountUri: string | undefined
}

/** Undefined while no identity of the authority is known. */
export function caaExpectation(
  { caaIdentities: given }: Pick<HostingConfig, 'caaIdentities'>,
  { caaIdentities: published, accountUri }: KnownAuthority,
): CaaExpectation | undefined {
  const identities = given.length > 0 ? given : published
  if (identities.length === 0) return undefined
  return { identities, method: 'http-01', ...(accountUri === undefined ? {} : { accountUri }) }
}
