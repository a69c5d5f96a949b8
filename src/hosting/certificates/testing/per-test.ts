/** For tests that need one world each, in which one name wants a certificate. */

import { afterEach, beforeEach } from 'bun:test'
import type { Problem } from './fake-order.ts'
import { openWorld, type World, type WorldOptions } from './world.ts'

export const name = 'www.shop.example'
export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour

export const rejected: Problem = {
  type: 'rejectedIdentifier',
  detail: 'Error creating new order :: the authority forbids this name',
  subproblems: [
    {
      type: 'urn:ietf:params:acme:error:caa',
      detail: 'CAA record for shop.example prevents issuance',
      identifier: { type: 'dns', value: name },
    },
  ],
}

/** Opens a world before each test of the file, and closes it after the test. */
export function worldPerTest(options: WorldOptions = {}) {
  let current: World

  async function open(...parameters: Parameters<typeof openWorld>): Promise<void> {
    current = await openWorld(...parameters)
    current.want(name)
  }

  beforeEach(() => open(options))
  afterEach(() => current.close())
  return {
    get world(): World {
      return current
    },
    /** Opens another world in the place of this one. */
    async replace(...parameters: Parameters<typeof openWorld>): Promise<void> {
      await current.close()
      await open(...parameters)
    },
    status: (hostname = name) => current.certificates.certificateOf(hostname),
    codes: (hostname = name) => current.certificates.findingsOf(hostname).map(({ code }) => code),
  }
}
