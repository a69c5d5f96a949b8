/** `petstore login` and `petstore logout`: the keys for stores on other machines. */

import type { CurrentKey } from '../../access/keys/schemas.ts'
import { apiUrl, checkedKey, remoteConfig } from '../../config/remote.ts'
import { text, UsageError } from '../../config/values.ts'
import { AppError } from '../../lib/error.ts'
import type { Command, Invocation } from '../command.ts'
import { print } from '../terminal/output.ts'
import { readLogins, writeLogins } from './logins.ts'
import { remoteClient } from './remote.ts'

export const login: Command = {
  name: 'login',
  summary: 'save a key for a store on another machine',
  details:
    "It asks for a key without showing it, or reads it from standard input, and saves it in ~/.config/petstore for commands with --url. Commands without --url, --data and --environment work on the store of the latest login, unless ./data has a store. They may do what the key's scopes allow.",
  operands: 'URL',
  arity: [1, 1],
  isLocal: true,
  hasNoStore: true,
  options: {
    name: { value: 'NAME', help: 'the name of the store for --url', default: 'the host of URL' },
  },
  examples: ['login https://api.shop.example', 'login https://api.shop.example --name shop'],
  async run({ values, positionals, terminal, variables }: Invocation) {
    const url = apiUrl(positionals[0] ?? '')
    const name = text(values, 'name') ?? new URL(url).host
    if (name.includes('://')) throw new UsageError('--name is not an address: choose a short name.')
    const config = remoteConfig(values, variables)
    const others = readLogins(config).filter((other) => other.name !== name)
    const given = (await terminal.askSecret(`Key for ${url}: `)).trim()
    if (given === '') throw new AppError('missing_api_key', 'No key was given, and nothing was changed.')
    const key = checkedKey(given, 'That')
    const current = await remoteClient({ url, key }).call<CurrentKey>('GET', '/keys/current')
    writeLogins(config, [...others, { name, url, key }])
    const owner = `the key "${current.name}" of account ${current.accountId}`
    const line = `Logged in to ${name} (${url}, ${current.environment}) with ${owner}: ${current.scopes.join(' ')}.`
    print({ values, terminal }, current, [line])
    return 0
  },
}

export const logout: Command = {
  name: 'logout',
  summary: 'forget the key for a store on another machine',
  details: 'Without NAME, that of the latest login. The key stays valid: petstore keys revoke ends it.',
  operands: '[NAME]',
  arity: [0, 1],
  isLocal: true,
  hasNoStore: true,
  examples: ['logout', 'logout shop'],
  run({ values, positionals, terminal, variables }: Invocation) {
    const config = remoteConfig(values, variables)
    const logins = readLogins(config)
    const given = positionals[0] ?? logins.at(-1)?.name
    const found = logins.find(({ name }) => name === given)
    if (found === undefined) {
      const names = logins.map(({ name }) => name).join(', ')
      const advice = names === '' ? '' : ` The stores are: ${names}.`
      throw new AppError('not_found', `You are not logged in${given === undefined ? '' : ` to "${given}"`}.${advice}`)
    }
    const { name, url } = found
    writeLogins(
      config,
      logins.filter((other) => other !== found),
    )
    const line = `Logged out of ${name} (${url}).`
    print({ values, terminal }, { name, url }, [line])
    return 0
  },
}
