import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { plans } from '../../access/accounts/rules.ts'
import type { OptionSpec } from '../../config/options.ts'
import { emptyFolder, executable, isBuilt, runPetstore } from '../../testing/executable.ts'
import { sharedOptions } from '../command.ts'
import { commands } from '../commands.ts'
import { complete } from './completion.ts'

const folder = emptyFolder()
beforeAll(() => {
  writeFileSync(join(folder.path, 'animals.csv'), '')
  mkdirSync(join(folder.path, 'store here'))
})
afterAll(() => folder.remove())

function has(...tools: string[]): boolean {
  const missing = tools.filter((tool) => Bun.which(tool) === null)
  if (missing.length > 0)
    console.error(`SKIPPED: completions in ${tools.join(', ')}: ${missing.join(', ')} is missing.`)
  return missing.length === 0
}

const env = { PATH: `${dirname(executable)}:/usr/bin:/bin`, HOME: folder.path, TERM: 'dumb' }

/** Types each line with its tabs into an interactive shell on a terminal; returns the completed lines. */
async function typeInto(shell: string, setUp: string, lines: readonly string[]): Promise<string[]> {
  const child = Bun.spawn(['script', '-qec', shell, '/dev/null'], {
    cwd: folder.path,
    env,
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'ignore',
  })
  let output = ''
  const reading = (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of child.stdout) output += decoder.decode(chunk, { stream: true })
  })()
  async function typeUntil(text: string, expected: RegExp): Promise<string> {
    const from = output.length
    child.stdin.write(text)
    child.stdin.flush()
    for (const endMs = performance.now() + 20_000; performance.now() < endMs; await Bun.sleep(10)) {
      const [, found] = expected.exec(output.slice(from)) ?? []
      if (found !== undefined) return found
    }
    throw new Error(`${shell} didn't print ${expected}: ${JSON.stringify(output.slice(from))}`)
  }
  await typeUntil(`${setUp}; echo "re""ady"\r`, /(ready)\r?\n/)
  const completed: string[] = []
  // Ctrl+A and Ctrl+E put `echo` before the completed line, so that the shell prints the line instead of running it.
  for (const line of lines)
    completed.push(await typeUntil(`${line}\u0001echo 'lin''e:\u0005:end'\r`, /line:([^\n]*):end\r?\n/))
  child.stdin.write('exit\r')
  child.stdin.end()
  await child.exited
  await reading
  return completed
}

const unique: readonly (readonly [typed: string, completed: string])[] = [
  ['petstore comp\t', 'petstore completion '],
  ['petstore keys cr\t', 'petstore keys create '],
  ['petstore keys create --na\t', 'petstore keys create --name '],
  ['petstore keys create --plan ent\t', 'petstore keys create --plan enterprise '],
  ['petstore keys list --environment st\t', 'petstore keys list --environment staging '],
  ['petstore serve --log-level=de\t', 'petstore serve --log-level=debug '],
  ['petstore keys create --scope orders:m\t', 'petstore keys create --scope orders:manage '],
  ['petstore pets import ani\t', 'petstore pets import animals.csv '],
  ['petstore pets photos re\t', 'petstore pets photos remove '],
  ['petstore completion z\t', 'petstore completion zsh '],
  ['petstore serve --platform-cert=ani\t', 'petstore serve --platform-cert=animals.csv '],
  ['petstore keys create --scope=pets:read,orders:r\t', 'petstore keys create --scope=pets:read,orders:read '],
  ['petstore help acc\t', 'petstore help accounts '],
  ['petstore help backup ver\t', 'petstore help backup verify '],
]

describe.skipIf(!isBuilt)('petstore completion', () => {
  test.skipIf(!has('bash', 'script'))('completes commands, options, values and files in bash', async () => {
    const more = [
      ['petstore backup \u001b*', 'petstore backup confirm create download keys list restore verify '],
      ['petstore keys create --scope pets:read,orders:r\t', 'petstore keys create --scope pets:read,orders:read '],
      ['petstore demo --data sto\t', 'petstore demo --data store\\ here/'],
      ['petstore backup verify --data=. ani\t', 'petstore backup verify --data=. animals.csv '],
      ['echo x; petstore vers\t', 'echo x; petstore version '],
    ] as const
    const cases = [...unique, ...more]
    const completed = await typeInto(
      'bash --norc --noprofile -i',
      'eval "$(petstore completion bash)"',
      cases.map(([line]) => line),
    )
    expect(completed.map((line) => line.trimEnd())).toEqual(cases.map(([, line]) => line.trimEnd()))
  })

  test.skipIf(!has('zsh', 'script'))('completes commands, options, values and files in zsh', async () => {
    const setUp = 'autoload -Uz compinit; compinit -u; eval "$(petstore completion zsh)"'
    const completed = await typeInto(
      'zsh -f -i',
      setUp,
      unique.map(([line]) => line),
    )
    expect(completed.map((line) => line.trimEnd())).toEqual(unique.map(([, line]) => line.trimEnd()))
  })

  test.skipIf(!has('zsh', 'script'))('sets up the completions of zsh where nothing else has', async () => {
    const completed = await typeInto('zsh -f -i', 'eval "$(petstore completion zsh)"', ['petstore keys cr\t'])
    expect(completed.map((line) => line.trimEnd())).toEqual(['petstore keys create'])
  })

  test.skipIf(!has('fish'))('completes commands, options, values and files in fish', async () => {
    const lines = unique.map(([line]) => line.replace('\t', ''))
    const script = [
      'petstore completion fish | source',
      ...lines.map((line) => `echo (complete -C '${line}' | string replace -r '\\t.*' '' | string join ' ')`),
    ].join('\n')
    const child = Bun.spawn(['fish', '--no-config', '-c', script], { cwd: folder.path, env, stdout: 'pipe' })
    const completed = (await new Response(child.stdout).text()).trimEnd().split('\n')
    const words = unique.map(([, line]) => line.trimEnd().split(' ').at(-1))
    expect(completed).toEqual(words.map((word) => word ?? ''))
  })

  test('prints the script of each shell, with --json as a document, and rejects other shells', async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { out } = await runPetstore(['completion', shell], { cwd: folder.path })
      const { out: document } = await runPetstore(['completion', shell, '--json'], { cwd: folder.path })
      expect(JSON.parse(document)).toEqual({ shell, script: out })
    }
    expect(await runPetstore(['completion', 'tcsh'], { cwd: folder.path })).toMatchObject({ code: 2, out: '' })
  })
})

describe('what may follow on a command line', () => {
  const after = (...words: string[]) => complete(commands, words).map((line) => line.replace(/\t.*/, ''))

  test('is every word of every command, and every option that a command line may have', () => {
    for (const command of commands) {
      const words = command.name.split(' ')
      for (const [index, word] of words.entries()) {
        expect(after(...words.slice(0, index), '')).toContain(word)
        expect(after('help', ...words.slice(0, index), '')).toContain(word)
      }
      const options = Object.entries<OptionSpec>({ ...command.options, ...sharedOptions(command) })
      const open = options.filter(([, { isVariableOnly = false }]) => !isVariableOnly).map(([name]) => `--${name}`)
      expect([command.name, after(...words, '--')]).toEqual([command.name, open])
    }
  })

  test('has a description, which for a group names its commands', () => {
    expect(complete(commands, ['acc'])).toContain('accounts\tlist, update')
    expect(complete(commands, ['keys', ''])).toContain('list\tlist the keys')
    expect(complete(commands, ['keys', 'roll', '-'])[0]).toStartWith('--overlap\thow long the old key')
  })

  test('is a value after an option that takes one, and no option that was given already, unless it is repeatable', () => {
    expect(after('keys', 'create', '--plan', '')).toEqual([...plans])
    expect(after('keys', 'create', '--scope=pets:read,')).not.toContain('--scope=pets:read,pets:read')
    expect(after('keys', 'create', '--scope=pets:read,')).toContain('--scope=pets:read,orders:read')
    expect(after('keys', 'create', '--name', '')).toEqual([])
    expect(after('keys', 'list', '--data', '')).toEqual([':directory'])
    const rest = after('keys', 'create', '--name', 'Till', '--scope', 'pets:read', '--')
    expect([rest.includes('--name'), rest.includes('--scope')]).toEqual([false, true])
  })

  test('is nothing after a word that is not a command', () => {
    for (const words of [
      ['dance', ''],
      ['keys', 'dance', ''],
      ['help', 'keys', 'list', ''],
    ]) {
      expect([words, after(...words)]).toEqual([words, []])
    }
  })
})
