/** Every store of one database, composed here once for the server and the commands alike. */

import { createAccountStore } from './accounts/store.ts'
import { createAuditStore } from './audit/store.ts'
import { createCategoryStore } from './categories/store.ts'
import type { OpenDatabase } from './database/open.ts'
import { createIdempotencyStore } from './idempotency/store.ts'
import { createKeyStore } from './keys/store.ts'
import { createLimitStore } from './limits/store.ts'
import { createOrderStore } from './orders/store.ts'
import { createPetStore } from './pets/store.ts'

export function createStores({ tables, connection }: Pick<OpenDatabase, 'tables' | 'connection'>) {
  return {
    accounts: createAccountStore(tables),
    keys: createKeyStore(tables),
    audit: createAuditStore(tables),
    limits: createLimitStore(tables),
    answers: createIdempotencyStore(tables),
    pets: createPetStore(tables, connection),
    categories: createCategoryStore(tables),
    orders: createOrderStore(tables),
  }
}
export type Stores = ReturnType<typeof createStores>
