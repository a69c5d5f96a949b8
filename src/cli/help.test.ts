import { describe, expect, test } from 'bun:test'
import type { OptionSpec } from '../config/options.ts'
import { readOptions, variableOf } from '../config/read.ts'
import { sharedOptions } from './command.ts'
import { commands } from './commands.ts'
import { helpText, overview } from './help.ts'
import { run } from './run.ts'
import { runHere, testTerminal } from './terminal/test-terminal.ts'

const petstore = (...args: string[]) => runHere(args)

describe('the help of a command', () => {
  test('lists every option with its default and at least two examples, in 100 columns', async () => {
    for (const command of commands) {
      const { code, out } = await petstore('help', ...command.name.split(' '))
      expect([command.name, code, out]).toEqual([command.name, 0, helpText(command)])
      for (const [name, spec] of Object.entries<OptionSpec>({ ...sharedOptions(command), ...command.options })) {
        expect(out).toContain(spec.isVariableOnly ? `  ${variableOf(name)}` : `  --${name}`)
        const words = out.replaceAll(/\s+/g, ' ')
        expect(words).toContain(spec.default === 'required' ? '(required)' : `(default: ${spec.default})`)
      }
      expect(out.split('Examples:\n')[1]?.split('\n  petstore ').length).toBeGreaterThanOrEqual(2)
      expect(out.split('\n').filter((line) => Bun.stringWidth(line) > 100)).toEqual([])
    }
  })

  test('gives the options of hosting the default that serve has stored, where a command uses that', async () => {
    const wordsOf = async (...command: string[]) => (await petstore('help', ...command)).out.replaceAll(/\s+/g, ' ')
    const words = await wordsOf('domains', 'check')
    expect(words).toContain('trying it out on this machine (default: as last served, else off)')
    expect(words).toContain("a recursive resolver; repeatable (default: as last served, else the system's)")
    expect((await wordsOf('serve')).match(/as last served/g)).toHaveLength(1)
  })

  test('has examples whose options and number of operands the command accepts', () => {
    for (const command of commands) {
      const { name, options = {}, arity = [0, 0], examples } = command
      for (const example of examples) {
        const words = [...(example.split(/ [>|] /)[0] ?? '').matchAll(/"([^"]*)"|\S+/g)].map(
          ([word, quoted]) => quoted ?? word,
        )
        expect(words.slice(0, name.split(' ').length).join(' ')).toBe(name)
        const { positionals } = readOptions(
          { ...sharedOptions(command), ...options },
          words.slice(name.split(' ').length),
          {},
        )
        expect([example, positionals.length >= arity[0] && positionals.length <= arity[1]]).toEqual([example, true])
      }
    }
  })

  test('is printed by `help`, `--help` and `-h`, with any other words on the line', async () => {
    const { out } = await petstore('help', 'keys', 'create')
    for (const line of [
      ['keys', 'create', '--help'],
      ['keys', 'create', '-h', '--nonsense'],
      ['--help', 'keys', 'create'],
    ]) {
      expect(await petstore(...line)).toEqual({ code: 0, out, err: '' })
    }
  })

  test('lists the commands of a group, and all commands without a topic', async () => {
    expect((await petstore('help')).out).toBe(overview(commands))
    const keys = (await petstore('help', 'keys')).out
    expect([keys.includes('keys create'), keys.includes('pets import')]).toEqual([true, false])
    expect((await petstore('keys', '--help')).out).toBe(keys)
    const photos = (await petstore('pets', 'photos', '--help')).out
    expect([photos.includes('pets photos add'), photos.includes('pets show')]).toEqual([true, false])
    expect((await petstore('help', 'pets', 'photos')).out).toBe(photos)
  })

  test('is one JSON document with --json', async () => {
    const described = JSON.parse((await petstore('help', '--json')).out)
    expect(described.map(({ name }: { name: string }) => name)).toEqual(commands.map(({ name }) => name))
    const [one] = JSON.parse((await petstore('help', 'keys', 'roll', '--json')).out)
    expect(one.options[0]).toMatchObject({ name: '--overlap', default: '24h', choices: null })
  })
})

describe('an invalid command line exits with 2 and prints one line with the nearest name and the help to read', () => {
  const cases: [line: string, message: string][] = [
    ['serv', 'There is no command "serv". Did you mean petstore serve? See: petstore help'],
    ['keys lsit', 'There is no command "keys lsit". Did you mean petstore keys list? See: petstore help keys'],
    ['key list', 'There is no command "key list". Did you mean petstore keys list? See: petstore help'],
    ['backpu create', 'There is no command "backpu create". Did you mean petstore backup create? See: petstore help'],
    ['help serv', 'There is no command "serv". Did you mean petstore serve? See: petstore help'],
    ['dance', 'There is no command "dance". See: petstore help'],
    [
      'backup',
      '"backup" needs one of: backup create, backup list, backup download, backup verify, backup restore, backup confirm, backup keys. See: petstore help backup',
    ],
    ['serve --prot 1', 'There is no option --prot. Did you mean --port? See: petstore help serve'],
    ['keys create --nmae x', 'There is no option --nmae. Did you mean --name? See: petstore help keys create'],
    ['keys list -x', 'There is no option -x. See: petstore help keys list'],
    ['serve --port', '--port needs a value: --port N. See: petstore help serve'],
    [
      'serve --port --json',
      '--port needs a value; write --port=--json if "--json" is the value. See: petstore help serve',
    ],
    ['keys list --data=', '--data must not be empty. See: petstore help keys list'],
    ['keys list --json=yes', '--json takes no value. See: petstore help keys list'],
    [
      'serve --log-level wran',
      '--log-level must be one of debug, info, warn, error, silent, not "wran". Did you mean warn? See: petstore help serve',
    ],
    [
      'keys create --name x --plan por',
      '--plan must be one of free, pro, business, enterprise, not "por". Did you mean pro? See: petstore help keys create',
    ],
    ['keys list all', '"all" is one argument too many. See: petstore help keys list'],
    ['keys revoke', 'An argument is missing: petstore keys revoke ID. See: petstore help keys revoke'],
    ['pets import', 'An argument is missing: petstore pets import FILE|-. See: petstore help pets import'],
    [
      'pets photos',
      '"pets photos" needs one of: pets photos add, pets photos list, pets photos remove. See: petstore help pets photos',
    ],
    [
      'pets photo add 1',
      'There is no command "pets photo". Did you mean petstore pets photos add? See: petstore help pets',
    ],
    [
      'pets photos ad 1',
      'There is no command "pets photos ad". Did you mean petstore pets photos add? See: petstore help pets photos',
    ],
    ['keys dance', 'There is no command "keys dance". See: petstore help keys'],
    ['--data x keys list', 'Options follow the command: petstore COMMAND [OPTIONS]. See: petstore help'],
  ]
  test.each(cases)('petstore %s', async (line, message) => {
    expect(await petstore(...line.split(' '))).toEqual({ code: 2, out: '', err: `petstore: ${message}\n` })
  })

  const withOperands = commands.filter(({ arity = [0, 0] }) => arity[1] > 0)
  test.each(withOperands.map(({ name, operands, arity: [least] = [0] }) => [name, operands, least] as const))(
    'petstore %s with an empty operand',
    async (name, operands, least) => {
      const empty = Array.from({ length: Math.max(least, 1) }, () => '')
      const { code, err } = await petstore(...name.split(' '), ...empty)
      const message = `An argument is empty: petstore ${name} ${operands}. See: petstore help ${name}`
      expect([code, err]).toEqual([2, `petstore: ${message}\n`])
    },
  )

  test('a long operand is shortened in the message', async () => {
    const long = 'x'.repeat(50_000)
    const lines = [[long], ['keys', long], ['keys', 'revoke', long], ['keys', 'list', '--data', '/', long]]
    for (const line of lines) {
      const { code, err } = await petstore(...line)
      expect(code).toBe(2)
      expect(err).toMatch(/x{100} … x{100}/)
      expect(err.length).toBeLessThan(1_100)
    }
  })

  test('names the variable that an invalid value comes from', async () => {
    const { terminal, err } = testTerminal()
    const variables = { PETSTORE_PORT: 'abc', PETSTORE_HOST: '127.0.0.1', PETSTORE_CORS_ORIGIN: '' }
    expect(await run(['serve'], variables, terminal)).toBe(2)
    expect(await run(['serve', '--port=abc'], variables, terminal)).toBe(2)
    const message = 'petstore: --port must be a whole number from 0 to 65535, not "abc".'
    const hint = 'See: petstore help serve\n'
    expect(err).toEqual([`${message} PETSTORE_PORT is set. ${hint}`, `${message} ${hint}`])
  })
})
