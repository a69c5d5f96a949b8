/** Checks of the shop's domain, each in a separate world. */

import { afterEach } from 'bun:test'
import { checkDomain } from '../check.ts'
import type { Finding, Report } from '../report.ts'
import type { CheckRequest } from '../request.ts'
import { addresses, createShopWorld, expected, type ShopOptions, target } from './shop.ts'
import type { World } from './world.ts'

/** The domain that is checked unless a request names another one. */
export const host = 'www.kiosk.example'
/** The record with which it leads to its project. */
export const right = `www 300 CNAME ${target}.`

export const bothServers = [addresses.first, addresses.second]
/** The same change of both servers of the shop. */
export const both = (change: object) => Object.fromEntries(bothServers.map((address) => [address, change]))

/** To be called once in a test file: worlds are closed by the next one, and after each test. */
export function shopPerTest() {
  let world: World | undefined
  const close = () => world?.close()
  afterEach(close)

  async function open(records: string, options?: ShopOptions): Promise<World> {
    close()
    world = await createShopWorld(records, options)
    return world
  }

  return {
    open,
    /** The latest world. */
    world(): World {
      if (!world) throw new Error('There is no world yet.')
      return world
    },
    /** Checks the domain in a new world in which the shop has these records. */
    async check(records: string, options?: ShopOptions, request: Partial<CheckRequest> = {}): Promise<Report> {
      const { options: checkOptions } = await open(records, options)
      return await checkDomain({ hostname: host, ...expected, ...request }, checkOptions)
    },
  }
}

/** The findings of a report, such as `error record_missing`. */
export const codes = ({ findings }: Report) => findings.map(({ code, severity }) => `${severity} ${code}`)

/** The only finding of a report. */
export function only({ findings }: Report): Finding {
  const [finding, ...others] = findings
  if (!finding || others.length > 0) throw new Error(`Expected one finding: ${JSON.stringify(findings)}`)
  return finding
}
