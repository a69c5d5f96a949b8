/** The declaration of every type of event. */

import { accountEvents } from '../access/accounts/events.ts'
import type { EventDeclaration } from '../access/events/declare.ts'
import type { EventType } from '../access/events/rules.ts'
import { keyEvents } from '../access/keys/events.ts'
import { deployEvents } from '../hosting/deploys/events.ts'
import { domainEvents } from '../hosting/domains/events.ts'
import { projectEvents } from '../hosting/projects/events.ts'
import { websiteEvents } from '../hosting/webshop/events.ts'
import { webhookEvents } from '../operate/webhooks/events.ts'
import { categoryEvents } from '../shop/categories/events.ts'
import { importEvents } from '../shop/imports/events.ts'
import { orderEvents } from '../shop/orders/events.ts'
import { petEvents } from '../shop/pets/events.ts'
import { profileEvents } from '../shop/profiles/events.ts'

export const eventDeclarations: Readonly<Record<EventType, EventDeclaration>> = {
  ...petEvents,
  ...profileEvents,
  ...categoryEvents,
  ...importEvents,
  ...orderEvents,
  ...projectEvents,
  ...websiteEvents,
  ...deployEvents,
  ...domainEvents,
  ...keyEvents,
  ...accountEvents,
  ...webhookEvents,
}
