/** Creates every store of one database, for the server and the commands. */

import { createAccountStore } from './accounts/store.ts'
import { createAuditStore } from './audit/store.ts'
import { createCategoryStore } from './categories/store.ts'
import { type Declare, declareNothing } from './database/announcements.ts'
import type { OpenDatabase } from './database/open.ts'
import { createFileRows } from './deploys/file-rows.ts'
import { createDeployStore } from './deploys/store.ts'
import { createDomainHistory } from './domains/history.ts'
import { createDomainStore } from './domains/store.ts'
import { createSettingsStore } from './hosting/settings.ts'
import { createIdempotencyStore } from './idempotency/store.ts'
import { createImportStore } from './imports/store.ts'
import { createKeyStore } from './keys/store.ts'
import { createLimitStore } from './limits/store.ts'
import { createOrderStore } from './orders/store.ts'
import { createOwnerStore } from './owner/store.ts'
import { createDeletedPetStore } from './pets/changes/deleted-pets.ts'
import { createPetStore } from './pets/store.ts'
import { createProjectStore } from './projects/store.ts'

export function createStores(
  { tables, connection }: Pick<OpenDatabase, 'tables' | 'connection'>,
  declare: Declare = declareNothing,
) {
  return {
    accounts: createAccountStore(tables, declare),
    keys: createKeyStore(tables, declare),
    audit: createAuditStore(tables, declare),
    limits: createLimitStore(tables),
    storedResponses: createIdempotencyStore(tables),
    pets: createPetStore(tables, connection, declare),
    deletedPets: createDeletedPetStore(tables),
    categories: createCategoryStore(tables, declare),
    orders: createOrderStore(tables, connection, declare),
    projects: createProjectStore(tables, declare),
    domains: createDomainStore(tables, declare),
    domainHistory: createDomainHistory(tables),
    deploys: createDeployStore(tables, declare),
    deployFiles: createFileRows(connection),
    imports: createImportStore(tables, declare),
    hostingSettings: createSettingsStore(tables),
    owner: createOwnerStore(tables, declare),
  }
}
export type Stores = ReturnType<typeof createStores>
