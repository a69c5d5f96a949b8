/** The parts of domains for a command, which makes its checks itself and has no jobs. A server may run beside it. */

import type { Stores } from '../../../app/stores.ts'
import type { HostingConfig } from '../../../config/hosting.ts'
import type { CaaExpectation } from '../../../dns/request.ts'
import { systemClock } from '../../../lib/clock.ts'
import { createPlatform, queryOptions } from '../checks/platform.ts'
import { startCheck, yieldingHolder } from '../checks/verify.ts'

export interface CommandStores extends Stores {
  /** Runs `work` in one durable transaction. */
  readonly write: <T>(work: () => T) => T
}

export interface CommandDomainParts {
  /** As of the server. */
  readonly caa: (() => CaaExpectation | undefined) | undefined
  /** Ends the checks. */
  readonly signal: AbortSignal
}

/** Resolves the public addresses if they are not among the options. */
export async function createCommandDomains(
  stores: CommandStores,
  hosting: HostingConfig,
  { caa, signal }: CommandDomainParts,
) {
  const options = { ...queryOptions(hosting), signal }
  const addresses = hosting.publicAddresses.length > 0 ? hosting.publicAddresses : await resolved(hosting, options)
  const platform = createPlatform(hosting, {
    addresses: { current: () => addresses, accepted: () => addresses },
    checkOptions: () => options,
    caa,
  })
  const parts = { ...stores, platform, clock: systemClock }
  return {
    ...parts,
    checks: {
      yieldingHolder: (hostname: string) => yieldingHolder(parts, hostname, signal),
      check: (id: number) => startCheck(parts, id, signal, true),
    },
  }
}

async function resolved({ platformDomain }: HostingConfig, options: ReturnType<typeof queryOptions>) {
  const { resolveAddresses } = await import('../../../dns/platform.ts')
  return await resolveAddresses(platformDomain, options)
}
