/** Compares the documentation with the code: the tables of docs/reference, and the links of every page. */

import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { Glob } from 'bun'
import { commands } from './cli/commands.ts'
import { commonOptions, type OptionSpec } from './config/options.ts'
import { serveOptions } from './config/serve-options.ts'

const root = resolve(import.meta.dir, '..')
const textOf = (page: string) => readFileSync(join(root, page), 'utf8')

/** The cells of the rows of a page's tables, without their heads. */
function rowsOf(page: string): readonly (readonly string[])[] {
  return textOf(page)
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.slice(2).replace(/ \|$/, '').split(' | '))
}

describe('docs/reference', () => {
  test('lists every command', () => {
    const page = textOf('docs/reference/commands.md')
    expect(commands.map(({ name }) => name).filter((name) => !page.includes(name))).toEqual([])
  })

  test('lists every option of serve with its default', () => {
    const rows = rowsOf('docs/reference/configuration.md')
    for (const [name, spec] of Object.entries<OptionSpec>({ ...commonOptions, ...serveOptions })) {
      const row = rows.find(([options]) => options?.includes(`\`--${name}\``))?.join(' ') ?? ''
      const words = row.replaceAll(/[`(),]/g, '').split(/\s+/)
      const missing = spec.default
        .replaceAll(',', '')
        .split(' ')
        .filter((word) => !words.includes(word))
      expect([name, missing]).toEqual([name, []])
    }
  })
})

const anchorsOf = (text: string) =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^a-z0-9 _-]/g, '')
      .replaceAll(' ', '-'),
  )

const pages = ['*.md', 'docs/**/*.md', 'bench/*.md'].flatMap((pattern) => [...new Glob(pattern).scanSync(root)]).sort()

test('every link of a page leads to a heading or a file that exists', () => {
  const isThere = (page: string, target: string) => {
    const [path = '', anchor] = target.split('#')
    const file = path === '' ? page : join(dirname(page), path)
    if (!existsSync(join(root, file))) return false
    return anchor === undefined || anchorsOf(textOf(file)).includes(anchor)
  }
  const links = pages.flatMap((page) =>
    [...textOf(page).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, target = '']) => ({ page, target })),
  )
  expect(links.length).toBeGreaterThan(50)
  expect(links.filter(({ page, target }) => !isThere(page, target))).toEqual([])
})
