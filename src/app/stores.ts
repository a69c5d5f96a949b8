/** Creates every store of one database, as the writer of its process uses them. */

import { createAccountStore } from '../access/accounts/store.ts'
import { createAuditStore } from '../access/audit/store.ts'
import { createEventLog, type EventLogOptions } from '../access/events/log.ts'
import { createKeyStore } from '../access/keys/store.ts'
import { createLimitStore } from '../access/limits/store.ts'
import { createOwnerStore } from '../access/owner/store.ts'
import { createIdempotencyStore } from '../api/idempotency/store.ts'
import { type Declare, declareNothing } from '../database/announcements.ts'
import type { OpenDatabase } from '../database/open.ts'
import { createFileRows } from '../hosting/deploys/file-rows.ts'
import { createDeployStore } from '../hosting/deploys/store.ts'
import { createDomainHistory } from '../hosting/domains/history.ts'
import { createDomainStore } from '../hosting/domains/store.ts'
import { createProjectStore } from '../hosting/projects/store.ts'
import { createSettingsStore } from '../hosting/settings.ts'
import { createWebsiteStore } from '../hosting/webshop/store.ts'
import { systemClock } from '../lib/clock.ts'
import { createBackupStore } from '../operate/backups/schedule/store.ts'
import { createMailStore } from '../operate/mail/store.ts'
import { createWebhookStore } from '../operate/webhooks/store.ts'
import { createCategoryStore } from '../shop/categories/store.ts'
import { createImportStore } from '../shop/imports/store.ts'
import { createOrderStore } from '../shop/orders/store.ts'
import { createDeletedPetStore } from '../shop/pets/changes/deleted-pets.ts'
import { createPetStore } from '../shop/pets/store.ts'
import { createPhotoStore } from '../shop/photos/store.ts'
import { createProfileStore } from '../shop/profiles/store.ts'
import { createStoreSettings } from '../shop/settings/store.ts'

export function createStores(
  { tables, connection }: Pick<OpenDatabase, 'tables' | 'connection'>,
  declare: Declare = declareNothing,
  eventOptions?: EventLogOptions,
) {
  // Of the time limit of searches.
  const clock = eventOptions?.clock ?? systemClock
  return {
    accounts: createAccountStore(tables, declare, clock),
    keys: createKeyStore(tables, declare, clock),
    audit: createAuditStore(tables, declare, clock),
    events: createEventLog(connection, eventOptions),
    limits: createLimitStore(tables),
    storedResponses: createIdempotencyStore(tables),
    pets: createPetStore(tables, connection, declare, clock),
    deletedPets: createDeletedPetStore(tables),
    profiles: createProfileStore(tables, connection, declare, clock),
    storeSettings: createStoreSettings(tables, declare),
    photos: createPhotoStore(tables, connection, declare),
    categories: createCategoryStore(tables, declare),
    orders: createOrderStore(tables, connection, declare, clock),
    projects: createProjectStore(tables, declare),
    websites: createWebsiteStore(tables, declare),
    domains: createDomainStore(tables, declare),
    domainHistory: createDomainHistory(tables),
    deploys: createDeployStore(tables, declare),
    deployFiles: createFileRows(tables),
    imports: createImportStore(tables, declare),
    hostingSettings: createSettingsStore(tables),
    owner: createOwnerStore(tables, declare),
    mails: createMailStore(tables, declare),
    backups: createBackupStore(tables, declare),
    webhooks: createWebhookStore(tables, declare),
  }
}
export type Stores = ReturnType<typeof createStores>
