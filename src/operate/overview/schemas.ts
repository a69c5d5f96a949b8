/** The JSON form of the overview. */

import { Type } from '@sinclair/typebox'
import type { AttentionItem } from '../../api/attention.ts'
import { countSchema, idSchema, nullable, timeOrNull, timeSchema } from '../../api/schemas.ts'
import { Inventory, OrderCounts } from '../../shop/orders/schemas.ts'

export const Overview = Type.Object(
  {
    animals: Inventory,
    orders: OrderCounts,
    days: Type.Array(
      Type.Object(
        {
          date: Type.String({
            format: 'date',
            maxLength: 10,
            description: 'The day, in UTC.',
            examples: ['2026-11-20'],
          }),
          requests: countSchema('Requests that were admitted, of all accounts, without those of the dashboard.'),
          rejected: countSchema('Requests with a valid key that a limit or a ban rejected (429).'),
          ordersPlaced: countSchema('Orders that were placed.'),
          ordersDelivered: countSchema('Orders that were delivered.'),
          soldWithoutOrder: countSchema(
            'Animals that were marked as sold without an order, less those that were marked as available again.',
          ),
        },
        { title: 'OverviewDay', description: 'The numbers of one day.' },
      ),
      { maxItems: 366, description: 'One entry for each day.' },
    ),
    attention: Type.Array(
      Type.Object(
        {
          kind: Type.String({
            minLength: 1,
            maxLength: 60,
            pattern: '^[a-z_]+$',
            description:
              'What needs attention. Known kinds are listed in `x-extensible-enum`; later versions may add others.',
            'x-extensible-enum': [
              'order_waiting',
              'key_banned',
              'key_expiring',
              'backup_failed',
              'backup_overdue',
              'backups_unreadable',
              'backup_copy_failed',
              'hosting_off',
              'imprint_missing',
              'domain',
              'domain_degraded',
              'certificate_failed',
              'certificate_expiring',
              'disk_low',
              'storage_fault',
              'clock_wrong',
              'mail_failed',
              'restored_elsewhere',
              'webhook_disabled',
              'webhooks_held',
            ],
            examples: ['order_waiting'],
          }),
          id: nullable(idSchema('Id of the order, key, project or webhook; null if it concerns no record.')),
          name: nullable(
            Type.String({
              maxLength: 300,
              pattern: '^[^\\x00-\\x1F]*$',
              description:
                'The name of the animal or key, the host name of the domain or of the webhook, the directory on the disk, or the fault in words; null if there is none.',
              examples: ['Honeysuckle'],
            }),
          ),
          since: timeSchema('The time since which it needs attention.'),
          expiresAt: nullable(timeSchema('When the key or the certificate expires; null for everything else.')),
        },
        { title: 'AttentionItem', description: 'Something that needs attention.' },
      ),
      { maxItems: 1_000, description: 'What needs attention, what has waited longest first; at most 50 of each kind.' },
    ),
  },
  { title: 'Overview', description: 'The state of the store.' },
)

export function toAttention({ kind, id, name, sinceMs, expiresMs = null }: AttentionItem) {
  return { kind, id, name, since: new Date(sinceMs).toISOString(), expiresAt: timeOrNull(expiresMs) }
}
