/** A store whose webhooks may go to loopback. */

import { loopback } from '../../../lib/network.ts'
import { openTestStore } from '../../../testing/harness.ts'
import { type Delivery, toDelivery, type Webhook } from '../schemas.ts'

export async function openWebhookStore(config: Parameters<typeof openTestStore>[0] = {}) {
  const store = await openTestStore({ webhookNetworks: loopback, ...config })

  async function create(body: object, key?: string): Promise<Webhook & { readonly secret: string }> {
    const { status, json, text } = await store.call('POST', '/v1/webhooks', {
      body,
      ...(key === undefined ? {} : { key }),
    })
    if (status !== 201) throw new Error(text)
    return json
  }

  return {
    ...store,
    create,
    get: async (id: number): Promise<Webhook> => (await store.call('GET', `/v1/webhooks/${id}`)).json,
    addPet: async (name: string) => (await store.call('POST', '/v1/pets', { body: { name, categoryId: 1 } })).json,
    /** Its deliveries, the newest first. Unlike a request, reading them is not limited. */
    deliveries(id: number): readonly Delivery[] {
      const { webhooks } = store.app
      const webhook = webhooks.find(id) ?? { isEnabled: false }
      return webhooks
        .deliveries(id, undefined, Number.MAX_SAFE_INTEGER, 1_000)
        .map((row) => toDelivery(row, webhook, store.clock.now()))
    },
    /** Resolves once the webhook fulfils a condition. */
    async until(id: number, condition: (webhook: Webhook) => boolean): Promise<Webhook> {
      for (;;) {
        const row = store.app.webhooks.find(id)
        const webhook = row && store.app.webhookDelivery.toWebhook(row)
        if (webhook && condition(webhook)) return webhook
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
  }
}
