/** Pastes the commands of the README and of the guide's chapters, as a reader does. */

import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { utils, write } from '@e965/xlsx'
import { imageBytes } from '../shop/photos/testing/images.ts'
import { emptyFolder, executable, isBuilt, startPetstoreProcess } from '../testing/executable.ts'

const root = resolve(import.meta.dir, '../..')
const textOf = (page: string) => readFileSync(join(root, page), 'utf8')
const blocks = (page: string, language: string) =>
  [...textOf(page).matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))].map(([, text = '']) => text)

async function bash(script: string, cwd: string) {
  const child = Bun.spawn(['bash', '-euo', 'pipefail', '-c', script], {
    cwd,
    env: { PATH: `${dirname(executable)}:/usr/bin:/bin`, HOME: cwd },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { code: await child.exited, out, err }
}

/** Commands that build, install or need Docker. They change this machine, or other tests cover them. */
const isForTheMachine = (block: string) => /^(sudo|scripts\/|docker) /.test(block) || block.startsWith('scripts/')

/** The commands of a page as one pastes them, without those that start the server. */
const pasted = (page: string) =>
  blocks(page, 'sh')
    .filter((block) => !isForTheMachine(block))
    .map((block) => block.replace(/^petstore serve$/m, ''))

function stock(): Buffer {
  const rows = [
    ['Name', 'Species'],
    ['Bella', 'Cat'],
  ]
  return write(utils.book_new(utils.aoa_to_sheet(rows), 'Animals'), { type: 'buffer', bookType: 'xlsx' })
}

/** Runs the commands of the README in an empty directory beside a server, then those of a chapter of the guide. */
async function follow(chapter?: string) {
  const folder = emptyFolder()
  // What a reader has besides.
  writeFileSync(join(folder.path, 'cat.jpg'), await imageBytes('jpeg'))
  writeFileSync(join(folder.path, 'stock.xlsx'), stock())
  writeFileSync(join(folder.path, 'lista.csv'), Buffer.from('name,category\n\xa3atek,Dog\n', 'latin1'))
  const server = await startPetstoreProcess([], { cwd: folder.path })
  try {
    const { url, pid } = server.ready
    const stop = `kill -TERM ${pid}; while kill -0 ${pid} 2>/dev/null; do sleep 0.05; done\n`
    const script = [...pasted('README.md'), ...(chapter === undefined ? [] : pasted(chapter))]
      .map((block) => (block.includes('petstore backup restore') ? stop + block : block))
      .join('\n')
      .replaceAll('http://127.0.0.1:8080', url)
    const curl = 'curl() { command curl --silent --show-error --fail-with-body "$@"; }\n'
    const { code, out, err } = await bash(curl + script, folder.path)
    const report = err.replace(
      /^(Guessed columns: .*|Unused columns: .*|line 2: status .*|Read as a status: .*|.* left out because .*|No column for the status: .*)\n/gm,
      '',
    )
    expect({ code, err: report, out }).toEqual({ code: 0, err: '', out })
    return { out, path: folder.path, [Symbol.asyncDispose]: end }
  } catch (error) {
    await end()
    throw error
  }
  async function end() {
    await server.kill()
    folder.remove()
  }
}

const chapters = readdirSync(join(root, 'docs/guide'))
  .filter((name) => name.endsWith('.md'))
  .sort()
  .map((name) => `docs/guide/${name}`)
  .filter((page) => pasted(page).length > 0)

const tools = ['bash', 'curl', 'gzip', 'find'].filter((tool) => Bun.which(tool) === null)
if (tools.length > 0) console.error(`SKIPPED: the commands of the README need ${tools.join(', ')}.`)

describe.skipIf(!isBuilt || tools.length > 0)('the commands of the documentation', () => {
  test('work when those of the README are pasted in an empty directory', async () => {
    await using followed = await follow()
    expect(followed.out).toContain('"name":"Honeysuckle"')
    expect(followed.out).toContain('"status":"placed"')
  })

  test('begin in the README with the two commands that start the service and run the tests', () => {
    expect(blocks('README.md', 'sh').slice(0, 2)).toEqual(['scripts/start.sh\n', 'scripts/test.sh\n'])
  })

  test('have an example of a test that passes', async () => {
    const folder = emptyFolder()
    const source = join(root, 'src/testing/start-petstore.ts')
    const [example] = blocks('README.md', 'ts')
    const imports = `import { expect, test } from 'bun:test'\nimport { startPetstore } from '${source}'\n`
    writeFileSync(join(folder.path, 'example.test.ts'), `${imports}test('passes', async () => {\n${example}})\n`)
    const { code, err } = await bash(`'${process.execPath}' test`, folder.path)
    folder.remove()
    expect([code, err]).toEqual([0, expect.stringContaining(' 1 pass\n 0 fail\n 1 expect()')])
  })

  /** What can be checked after the commands of some chapters. */
  const seen: Record<string, (followed: Awaited<ReturnType<typeof follow>>) => Promise<void> | void> = {
    'docs/guide/import.md': async ({ out, path }) => {
      expect(out).toContain('Imported 3 animals.\nThis is import 2.')
      expect(out).toContain('Removed 3 animals of import 2.')
      const names = readFileSync(join(path, 'export.csv'), 'utf8').matchAll(/^\d+,([^,]+),/gm)
      expect([...names].map(([, name]) => name)).toEqual(['Honeysuckle', 'Rex', 'Tom', 'Bella', 'Łatek'])
      const exported = (await bash('petstore pets export --data copy', path)).out
      for (const name of ['Honeysuckle', 'Rex', 'Tom']) expect(exported).toContain(name)
    },
    'docs/guide/animals.md': ({ out }) => {
      expect(out).toContain('"price":49900,"currency":"EUR"')
      expect(out).toContain('459.90 EUR')
      expect(out).toContain('"alt":"A red tabby cat on a window sill"')
    },
    'docs/guide/backups.md': async ({ out, path }) => {
      expect(out).toMatch(/is undamaged: 1 animal, 1 order, 2 keys\./)
      // The store that a restore has replaced is in the same directory.
      const newest = textOf('docs/guide/backups.md').match(/^FILE=.*/m)?.[0]
      const { out: file } = await bash(`${newest}; echo "$FILE"`, path)
      expect(file).toMatch(/^(data\/backups\/)?production-\d+T\d+Z\.db\n$/)
    },
  }

  test.each(chapters)('work when those of %s are pasted after those of the README', async (chapter) => {
    const rest = blocks(chapter, 'sh').filter(isForTheMachine).join('')
    expect(rest.split('\n').filter((line) => /^petstore|^curl/.test(line))).toEqual([])
    await using followed = await follow(chapter)
    await seen[chapter]?.(followed)
  })

  test('with a check of their results belong to chapters that exist', () => {
    expect(Object.keys(seen).filter((chapter) => !chapters.includes(chapter))).toEqual([])
  })
})
