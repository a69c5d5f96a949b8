/**
 * Whether the public addresses lead to this service. Behind a router that does not let a machine reach its own address, a
 * probe has no reply for some seconds; checks do not wait for that again and again: they use the last outcome of the address,
 * while the probe goes on for the next check.
 */

import type { HttpProbe, ProbeResult } from '../../../dns/http-probe.ts'
import { probeFindings } from '../../../dns/http-probe.ts'
import type { Finding } from '../../../dns/report.ts'
import type { Clock } from '../../../lib/clock.ts'

/** Whether a finding is that of a probe. */
export function isOfProbe({ code }: Finding): boolean {
  return code === 'http_unreachable' || code === 'wrong_server'
}

/** How long an outcome is remembered, in milliseconds. */
const rememberedMs = 10 * 60_000
/** How long a check waits for a probe whose last outcome is known, in milliseconds: an address that is reached responds sooner. */
const shortMs = 300

/**
 * The findings for the addresses, from which a page of this service is fetched with `hostname` as the Host. `isFresh`: no
 * remembered outcome counts.
 */
export type AddressProbe = (
  hostname: string,
  addresses: readonly string[],
  signal: AbortSignal,
  isFresh: boolean,
) => Promise<Finding[]>

export function createAddressProbe(probe: HttpProbe, clock: Pick<Clock, 'monotonic' | 'after'>): AddressProbe {
  /** The addresses that were unreachable at the last probe; the others respond at once. */
  const unreachable = new Map<string, { readonly result: ProbeResult; readonly atMs: number }>()

  function remembered(address: string): ProbeResult | undefined {
    const last = unreachable.get(address)
    return last && clock.monotonic() - last.atMs < rememberedMs ? last.result : undefined
  }

  async function fetchFrom(hostname: string, address: string, signal: AbortSignal): Promise<ProbeResult> {
    const result = await probe(hostname, address, signal)
    if (result.kind === 'unreachable') unreachable.set(address, { result, atMs: clock.monotonic() })
    else unreachable.delete(address)
    return result
  }

  async function outcomeOf(hostname: string, address: string, signal: AbortSignal, isFresh: boolean) {
    const last = isFresh ? undefined : remembered(address)
    const result = fetchFrom(hostname, address, signal)
    if (!last) return await result
    const waited = Promise.withResolvers<ProbeResult>()
    const cancel = clock.after(shortMs, () => waited.resolve(last))
    return await Promise.race([result, waited.promise]).finally(cancel)
  }

  return async (hostname, addresses, signal, isFresh) => {
    const outcomes = addresses.map((address) => outcomeOf(hostname, address, signal, isFresh))
    return probeFindings(hostname, await Promise.all(outcomes))
  }
}
