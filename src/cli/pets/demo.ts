/** `petstore demo`: fills an empty store with realistic records. */

import type { AddedDemo } from '../../shop/demo/add.ts'
import { withNewClient } from '../client/client.ts'
import type { Command, Invocation } from '../command.ts'
import { print } from '../terminal/output.ts'

export const demo: Command = {
  name: 'demo',
  isLocal: true,
  summary: 'fill an empty store with example animals, photos and orders',
  changesStore: true,
  examples: ['demo', 'demo --environment staging'],
  async run(invocation: Invocation) {
    const added = await withNewClient(invocation, (client) => client.call<AddedDemo>('POST', '/command/demo'))
    const { animals, categories, photos, orders } = added
    const words = `Added ${animals} animals in ${categories} categories, ${photos} photos and ${orders} orders.`
    print(invocation, added, words)
    return 0
  },
}
