/** `petstore demo`: something to look at in a store that is still empty. */

import { storeConfig } from '../config.ts'
import { addDemo } from '../transfer/demo.ts'
import type { Command, Invocation } from './command.ts'
import { withStore } from './store.ts'

export const demo: Command = {
  name: 'demo',
  summary: 'fill an empty store with animals, categories and orders to look at',
  async run({ values, terminal }: Invocation) {
    const added = await withStore(storeConfig(values), (store) => {
      const numbers = store.write(() => addDemo(store, Date.now()))
      while (store.write(store.pets.indexMore));
      return numbers
    })
    const { animals, categories, orders } = added
    const sentence = `Added ${animals} animals in ${categories} categories and ${orders} orders.`
    terminal.out(`${values['json'] ? JSON.stringify(added) : sentence}\n`)
    return 0
  },
}
