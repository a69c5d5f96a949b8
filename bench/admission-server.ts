/**
 * Two listeners on one store: the API, and the same routes without admission. Prints
 * `{"with","without","key"}`; to be bundled first, as the executable is.
 */

import { Elysia } from 'elysia'
import { issueKey } from '../src/access/keys/issue.ts'
import { Admitted } from '../src/api/principal.ts'
import { scopes } from '../src/api/scopes.ts'
import { createApp } from '../src/app/app.ts'
import { systemClock } from '../src/lib/clock.ts'
import { silentLog } from '../src/lib/log.ts'
import { petRoutes } from '../src/shop/pets/routes.ts'

const config = { environment: 'production', databasePath: ':memory:', corsOrigins: [], trustedProxies: [] } as const
const app = createApp(config, systemClock, silentLog)
const custom = { perMinute: 1_000_000_000, perDay: 1_000_000_000 }
const { key } = await app.writer.write(() => {
  for (let i = 0; i < 100; i++) app.pets.add({ name: `Animal ${i}`, categoryId: 1, status: 'available' })
  const order = {
    name: 'Bench',
    account: { name: 'Bench', plan: 'enterprise', custom },
    scopes,
    expiresAt: undefined,
  } as const
  return issueKey(app, order, { actor: 'system', nowMs: Date.now() })
})
const principal = app.authenticator.authenticate(`Bearer ${key}`)
if ('code' in principal) throw new Error(principal.message)

const admitted = new Admitted()
admitted.principal = principal
const unguarded = new Elysia({ strictPath: true }).decorate('admitted', admitted).use(petRoutes(app))
const listen = (fetch: (request: Request) => Response | Promise<Response>) =>
  Bun.serve({ port: 0, hostname: '127.0.0.1', fetch }).url.origin
console.log(
  JSON.stringify({
    with: listen(app.api.fetch),
    without: listen((request) => unguarded.fetch(request)),
    key,
  }),
)
