/** `petstore demo`: fills an empty store with realistic records. */

import { storeConfig } from '../config/config.ts'
import { addDemo } from '../shop/demo.ts'
import type { Command, Invocation } from './command.ts'
import { withNewStore } from './store.ts'

export const demo: Command = {
  name: 'demo',
  isLocal: true,
  summary: 'fill an empty store with example animals, categories and orders',
  changesStore: true,
  examples: ['demo', 'demo --environment staging'],
  async run({ values, terminal }: Invocation) {
    const added = await withNewStore(storeConfig(values), (store) => store.write(() => addDemo(store, Date.now())))
    const { animals, categories, orders } = added
    const sentence = `Added ${animals} animals in ${categories} categories and ${orders} orders.`
    terminal.out(`${values['json'] ? JSON.stringify(added) : sentence}\n`)
    return 0
  },
}
