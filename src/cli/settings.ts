/** `petstore settings …`: prints and changes the settings of the store. */

import type { StoreSettings } from '../shop/settings/schemas.ts'
import { assignedTexts } from './arguments.ts'
import { callAndPrint } from './client/client.ts'
import { onStore } from './client/local.ts'
import type { Command, Invocation } from './command.ts'
import { formatPairs } from './terminal/output.ts'

const path = '/store/settings'

export const settingsShow: Command = {
  name: 'settings show',
  summary: 'print the settings of the store',
  examples: ['settings show', 'settings show --json'],
  run: (invocation: Invocation) =>
    callAndPrint(invocation, async (client) => shown(await client.call<StoreSettings>('GET', path), invocation)),
}

const members = ['currency'] as const

export const settingsSet: Command = {
  name: 'settings set',
  summary: 'change the settings of the store',
  details:
    'currency is the currency of all prices, as an ISO 4217 code. Another currency converts no price: the numbers stay.',
  operands: 'MEMBER=VALUE',
  arity: [1, members.length],
  completes: members.map((member) => `${member}=`),
  changesStore: true,
  examples: ['settings set currency=EUR', 'settings set currency=USD --json'],
  run: (invocation: Invocation) => {
    const texts = assignedTexts(invocation.positionals, members)
    const change = { currency: texts.get('currency')?.toUpperCase() }
    return callAndPrint(invocation, async (client) =>
      shown(await client.call<StoreSettings>('PATCH', path, change), invocation),
    )
  },
}

function shown(settings: StoreSettings, invocation: Invocation) {
  const { currency } = settings
  const none = `none yet; set one with: ${onStore(invocation, 'petstore settings set currency=EUR')}`
  return { result: settings, words: formatPairs([['Currency', currency ?? none]]) }
}
