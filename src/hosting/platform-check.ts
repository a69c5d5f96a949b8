/** Reports records of the platform that don't lead to this machine: without them no site works. */

import type { HostingConfig } from '../config/hosting.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Job } from '../lib/scheduler.ts'
import type { Platform } from './domains/checks/platform.ts'

/** Once the records are right, and once they are not, they change seldom. */
const checkEveryMs = 60 * 60_000
/** The public addresses are resolved shortly after the start. */
const firstMs = 5_000

/** A job that logs each fault when it appears, and once that all are corrected. */
export function createPlatformCheck(parts: {
  readonly hosting: Pick<HostingConfig, 'platformDomain' | 'sitesDomain'>
  readonly platform: Platform | undefined
  readonly clock: Pick<Clock, 'monotonic'>
  readonly log: Log
}): Job {
  const { hosting, platform, clock, log } = parts
  const { platformDomain, sitesDomain } = hosting
  let reported = ''
  let nextMs = clock.monotonic() + firstMs

  return {
    name: 'check the records of the platform',
    everyMs: 1_000,
    idleMs: () => Math.max(0, nextMs - clock.monotonic()),
    async run(signal) {
      if (platform === undefined || clock.monotonic() < nextMs) return
      nextMs = clock.monotonic() + checkEveryMs
      const addresses = platform.publicAddresses()
      if (addresses.length === 0) {
        log.warn(
          `the public addresses of this machine are not known: ${platformDomain} has none, or the lookup of A or AAAA fails. Point ${platformDomain}, *.${sitesDomain} and *.edge.${platformDomain} at this machine, or give --public-address`,
        )
        nextMs = clock.monotonic() + checkEveryMs / 12
        return
      }
      const { checkPlatform } = await import('../dns/platform.ts')
      const options = { ...platform.checkOptions(), signal }
      const findings = await checkPlatform(platformDomain, addresses, options, sitesDomain)
      if (signal.aborted) return
      const messages = findings.map(({ message }) => message).join()
      if (messages === reported) return
      for (const { message, fix } of findings) log.warn(`${message} ${fix}`)
      if (findings.length === 0) log.info('the records of the platform lead here', { platformDomain })
      reported = messages
    },
  }
}
