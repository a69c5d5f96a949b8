/** The DNS servers for domain-checks.ts: every zone at one address, with 20 ms for each response. */

import { startDnsServer } from '../src/dns/testing/dns-server.ts'
import { answerFrom, zone } from '../src/dns/testing/zone.ts'

const address = process.argv[2] ?? '127.55.0.1'
const delayMs = 20
const zones = [
  zone('example', `@ 60 NS ns\nns 60 A ${address}`),
  zone('kiosk.example', `@ 60 NS ns\nns 60 A ${address}\n* 60 A 198.51.100.20`),
  zone('stores.example', `@ 60 NS ns.kiosk.example.\n@ 60 A 127.9.9.9\n* 60 A 127.9.9.9\n*.edge 60 A 127.9.9.9`),
]
await startDnsServer(
  address,
  async ({ name, type }) => {
    await Bun.sleep(delayMs)
    const { rcode, ...found } = answerFrom(zones, name, type)
    return { ...found, rcode: rcode === 'NXDOMAIN' ? 3 : rcode === 'REFUSED' ? 5 : 0 }
  },
  { port: 53 },
)
console.log('ready')
