/** The event of a webhook. */

import { type EventDeclarations, event } from '../../access/events/declare.ts'
import { Webhook } from './schemas.ts'

export const webhookEvents = {
  'webhook.disabled': event(
    Webhook,
    'The service has disabled a webhook, because it was failing for five days or its receiver responded with 410.',
  ),
} satisfies EventDeclarations
