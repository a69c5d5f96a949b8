import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { commonOptions, type OptionSpec } from '../config/options.ts'
import { serveOptions } from '../config/serve-options.ts'
import { emptyFolder, executable, isBuilt, type PetstoreProcess, startPetstoreProcess } from '../testing/executable.ts'
import { commands } from './commands.ts'

const root = resolve(import.meta.dir, '../..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const blocks = (language: string) =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))].map(([, text = '']) => text)

const folder = emptyFolder()
let server: PetstoreProcess | undefined
afterAll(async () => {
  await server?.kill()
  folder.remove()
})

async function bash(script: string) {
  const child = Bun.spawn(['bash', '-euo', 'pipefail', '-c', script], {
    cwd: folder.path,
    env: { PATH: `${dirname(executable)}:/usr/bin:/bin`, HOME: folder.path },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { code: await child.exited, out, err }
}

/** Commands that build, install or need Docker. They change this machine, or other tests cover them. */
const isForTheMachine = (block: string) => /^(sudo|scripts\/|docker) /.test(block) || block.startsWith('scripts/')

const tools = ['bash', 'curl', 'gzip', 'find'].filter((tool) => Bun.which(tool) === null)
if (tools.length > 0) console.error(`SKIPPED: the commands of the README need ${tools.join(', ')}.`)

describe.skipIf(!isBuilt || tools.length > 0)('the README', () => {
  test('has commands that all work when pasted one after another in an empty directory', async () => {
    const pasted = blocks('sh').filter((block) => !isForTheMachine(block))
    const rest = blocks('sh').filter(isForTheMachine).join('')
    expect(rest.split('\n').filter((line) => /^petstore|^curl/.test(line))).toEqual([])
    expect(pasted.filter((block) => block === 'petstore serve\n')).toHaveLength(1)
    server = await startPetstoreProcess([], { cwd: folder.path })
    const { url, pid } = server.ready
    const stop = `kill -TERM ${pid}; while kill -0 ${pid} 2>/dev/null; do sleep 0.05; done\n`
    const script = pasted
      .map((block) => block.replace(/^petstore serve$/m, ''))
      .map((block) => (block.includes('petstore backup restore') ? stop + block : block))
      .join('\n')
      .replaceAll('http://127.0.0.1:8080', url)
    const { code, out, err } = await bash(
      `curl() { command curl --silent --show-error --fail-with-body "$@"; }\n${script}`,
    )
    expect({ code, err: err.replace(/^(Not used: .*|line 2: status .*)\n/gm, ''), out }).toEqual({
      code: 0,
      err: '',
      out,
    })
    expect(await server.process.exited).toBe(0)

    // The store that a restore has replaced is in the same directory.
    const newest = readme.match(/^FILE=.*/m)?.[0]
    expect((await bash(`${newest}; echo "$FILE"`)).out).toMatch(/^(data\/backups\/)?production-\d+T\d+Z\.db\n$/)

    expect(out).toContain('"name":"Honeysuckle"')
    expect(out).toContain('"status":"placed"')
    expect(out).toContain('Imported 3 animals, skipped 1 row.')
    expect(out).toContain('Removed 3 animals of import 2.')
    expect(out).toMatch(/is undamaged: 3 animals, 1 order, 5 keys\./)
    const names = readFileSync(join(folder.path, 'export.csv'), 'utf8').matchAll(/^\d+,([^,]+),/gm)
    expect([...names].map(([, name]) => name)).toEqual(['Honeysuckle', 'Rex', 'Tom'])
    const exported = (await bash('petstore pets export --data copy')).out
    for (const name of ['Honeysuckle', 'Rex', 'Tom']) expect(exported).toContain(name)
  })

  test('has a crontab line that creates a backup and removes only old ones', async () => {
    const [line = ''] = blocks('cron')
    expect(line).toMatch(/^\d+ \d+ \* \* \* /)
    // cron ends the command at a percent sign.
    expect(line).not.toContain('%')
    const data = join(folder.path, 'srv')
    await bash(`petstore keys create --name Till --data ${data}; petstore backup create --data ${data}`)
    const [old = ''] = readdirSync(join(data, 'backups')).filter((name) => name.endsWith('.db'))
    const command = line
      .replace(/^(\S+ ){5}/, '')
      .replaceAll('/usr/local/bin/petstore', executable)
      .replaceAll('/srv/petstore', data)
      .trim()
    await bash(`touch -d '20 days ago' ${join(data, 'backups', old)}`)
    expect(await bash(`sh -c ${JSON.stringify(command)}`)).toEqual({ code: 0, out: '', err: '' })
    const kept = readdirSync(join(data, 'backups')).filter((name) => name.endsWith('.db'))
    expect([kept.length, kept.includes(old)]).toEqual([1, false])
  })

  test('lists every command, and every option of serve with its default', () => {
    for (const { name } of commands) expect([name, readme.includes(name)]).toEqual([name, true])
    const table = readme.split('## Options')[1]?.split('\n## ')[0] ?? ''
    for (const [name, spec] of Object.entries<OptionSpec>({ ...commonOptions, ...serveOptions })) {
      const row = table.split('\n').find((line) => line.startsWith('|') && line.includes(`\`--${name}\``)) ?? ''
      const words = row.replaceAll(/[`(),]/g, '').split(/\s+/)
      expect([
        name,
        spec.default,
        spec.default
          .replaceAll(',', '')
          .split(' ')
          .every((word) => words.includes(word)),
      ]).toEqual([name, spec.default, true])
    }
  })

  test('links only to headings and files that exist', () => {
    const anchorsOf = (text: string) =>
      [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
        title
          .toLowerCase()
          .replaceAll(/[^a-z0-9 -]/g, '')
          .replaceAll(' ', '-'),
      )
    const isThere = (target: string) => {
      const [path = '', anchor] = target.split('#')
      if (!existsSync(join(root, path))) return false
      return anchor === undefined || anchorsOf(readFileSync(join(root, path || 'README.md'), 'utf8')).includes(anchor)
    }
    const links = [...readme.matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target)
    expect(links.filter((target) => !isThere(target))).toEqual([])
  })
})
