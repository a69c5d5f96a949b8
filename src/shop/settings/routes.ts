/** The handlers of the endpoints of the settings of the store. */

import { accountFor, type StoreAccountStores } from '../../access/accounts/store-account.ts'
import { auditContextOf } from '../../access/audit/store.ts'
import { mount } from '../../api/mount.ts'
import type { EndpointParts } from '../../api/route.ts'
import type { Clock } from '../../lib/clock.ts'
import { AppError } from '../../lib/error.ts'
import { storeSettingsEndpoints } from './endpoints.ts'
import type { StoreSettings } from './store.ts'

export const storeSettingsRoutes = (
  parts: StoreAccountStores & {
    readonly storeSettings: StoreSettings
    readonly clock: Clock
    readonly endpointParts: EndpointParts
  },
) => {
  const { storeSettings, audit, clock } = parts
  return mount(
    storeSettingsEndpoints,
    {
      getStoreSettings: () => ({ currency: storeSettings.currency() }),
      updateStoreSettings({ body, principal, assertPreconditions }) {
        const before = { currency: storeSettings.currency() }
        assertPreconditions(before)
        const { currency = before.currency } = body
        if (currency === before.currency) return before
        if (currency === null) {
          throw new AppError('invalid_body', 'currency must not be null: a store cannot lose its currency.')
        }
        storeSettings.setCurrency(currency)
        const context = auditContextOf(principal, clock)
        const accountId = accountFor(parts, principal, context)
        audit.add(context, { action: 'settings.changed', accountId, details: { currency, previous: before } })
        return { currency }
      },
    },
    parts.endpointParts,
  )
}
