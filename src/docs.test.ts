/** Compares the documentation with the code: the tables of docs/reference, and the links of every page. */

import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { Glob } from 'bun'
import { allowanceOf, type Plan, plans } from './access/accounts/rules.ts'
import { errorCodes } from './api/errors.ts'
import { defaultScopes, scopes } from './api/scopes.ts'
import { sharedOptions } from './cli/command.ts'
import { commands } from './cli/commands.ts'
import { commonOptions, type OptionSpec, type OptionSpecs } from './config/options.ts'
import { variableOf } from './config/read.ts'
import { serveOptions } from './config/serve-options.ts'
import { faultTexts } from './database/faults/fault.ts'
import { findingCodes } from './dns/report.ts'
import { isMailed } from './operate/mail/words.ts'
import { dashboardEndpoints } from './owner/endpoints.ts'
import { openTestStore, testHosting } from './testing/harness.ts'

const root = resolve(import.meta.dir, '..')
const textOf = (page: string) => readFileSync(join(root, page), 'utf8')

/** The cells of the tables below a heading of a page, row by row, without their heads. Backticks and escapes are removed. */
function rowsOf(page: string, heading: string): readonly (readonly string[])[] {
  const [, section = ''] = textOf(page).split(new RegExp(`^#+ ${RegExp.escape(heading)}$`, 'm'))
  const lines = (section.split(/^#+ /m)[0] ?? '').split('\n').filter((line) => line.startsWith('|'))
  const rows = lines.filter((_, at) => !/^\|[-|]+\|$/.test(lines[at] ?? '') && !/^\|[-|]+\|$/.test(lines[at + 1] ?? ''))
  return rows.map((row) =>
    row
      .slice(2, -2)
      .split(' | ')
      .map((cell) => cell.replaceAll('`', '').replaceAll('\\|', '|')),
  )
}

const optionOf = (name: string, { value, isVariableOnly }: OptionSpec) => {
  if (isVariableOnly) return 'only as a variable'
  return value === undefined ? `--${name}` : `--${name} ${value}`
}

describe('docs/reference/commands.md', () => {
  const page = 'docs/reference/commands.md'

  test('has a section for each command with its operands', () => {
    const sections = [...textOf(page).matchAll(/^### `petstore (.+)`$/gm)].map(([, usage]) => usage ?? '')
    const usages = commands.map(({ name, operands }) => (operands === undefined ? name : `${name} ${operands}`))
    expect(sections.toSorted()).toEqual(usages.toSorted())
  })

  test('lists the options of each command with their defaults', () => {
    const described = (specs: OptionSpecs) =>
      Object.entries(specs).map(([name, spec]) => [optionOf(name, spec), spec.default])
    const listed = (heading: string) => rowsOf(page, heading).map(([option, standard]) => [option, standard])
    expect(listed('Common to all commands')).toEqual(described(sharedOptions({})))
    // The options of `serve` have a page of their own.
    for (const { name, operands, options = {} } of commands.filter((command) => command.name !== 'serve')) {
      const heading = `\`petstore ${operands === undefined ? name : `${name} ${operands}`}\``
      const own = Object.entries(options).filter(([option]) => name !== 'service install' || !(option in serveOptions))
      expect([name, listed(heading)]).toEqual([name, described(Object.fromEntries(own))])
    }
  })
})

/** The parts of the OpenAPI document that are compared. Another test compares the snapshot with the server. */
interface Operation {
  readonly deprecated?: boolean
  readonly 'x-stability'?: string
  readonly security: readonly { readonly bearerAuth: readonly string[] }[]
}
interface Schema {
  readonly properties: Readonly<Record<string, { readonly 'x-extensible-enum'?: readonly string[] }>>
}
const openapi = JSON.parse(textOf('docs/openapi.json')) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}
const knownValues = (schema: string, member: string): string[] => [
  ...(openapi.components.schemas[schema]?.properties[member]?.['x-extensible-enum'] ?? []),
]

describe('docs/reference/api.md', () => {
  const page = 'docs/reference/api.md'

  test('lists every error code with its status', () => {
    const listed = rowsOf(page, 'Errors').map(([code, status]) => [code, Number(status)])
    expect(listed.toSorted()).toEqual(
      Object.entries(errorCodes)
        .map(([code, { status }]) => [code, status])
        .toSorted(),
    )
  })

  test('lists every fault of the storage', () => {
    expect(rowsOf(page, 'Storage faults').map(([fault]) => fault)).toEqual(Object.keys(faultTexts))
  })

  test('lists every scope, and whether new keys have it', () => {
    const listed = rowsOf(page, 'Scopes').map(([scope, isDefault]) => [scope, isDefault])
    expect(listed).toEqual(scopes.map((scope) => [scope, defaultScopes.includes(scope) ? 'yes' : 'no']))
  })

  test('lists every plan with its limits', () => {
    const limitsOf = (plan: Plan) => {
      if (plan === 'enterprise') return ['as agreed', 'as agreed']
      const { perMinute, perDay } = allowanceOf(plan, {})
      return [perMinute.toLocaleString('en'), perDay.toLocaleString('en')]
    }
    expect(rowsOf(page, 'Limits')).toEqual(plans.map((plan) => [plan, ...limitsOf(plan)]))
  })

  test('lists every operation with its scope and stability', () => {
    const operations = Object.entries(openapi.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => {
        const needed = operation.security.flatMap(({ bearerAuth }) => bearerAuth).join(' or ')
        const stability = operation.deprecated ? 'deprecated' : (operation['x-stability'] ?? 'stable')
        return [`${method.toUpperCase()} /v1${path}`, needed || 'any key', stability]
      }),
    )
    expect(rowsOf(page, 'Operations').toSorted()).toEqual(operations.toSorted())
  })

  test('lists every kind of what needs attention', () => {
    expect(rowsOf(page, 'What needs attention').map(([kind]) => kind)).toEqual(knownValues('AttentionItem', 'kind'))
  })
})

test('docs/guide/mail.md lists every kind of attention that is mailed', () => {
  const mailed = knownValues('AttentionItem', 'kind').filter((kind) => isMailed({ kind }))
  expect(
    rowsOf('docs/guide/mail.md', 'What is mailed')
      .map(([kind]) => kind ?? '')
      .toSorted(),
  ).toEqual(mailed.toSorted())
})

test('docs/reference/api.md lists every metric', () => {
  const sources = [...new Glob('src/operate/metrics/*.ts').scanSync(root)].filter((path) => !path.includes('.test.'))
  const names = sources.flatMap((path) => textOf(path).match(/(?<=')(petstore|process)_[a-z_]+(?=')/g) ?? [])
  const listed = rowsOf('docs/reference/api.md', 'Metrics').map(([name]) => name)
  expect(listed.toSorted()).toEqual([...new Set(names)].toSorted())
})

describe('docs/reference/hosting.md', () => {
  const page = 'docs/reference/hosting.md'
  const codes = ['The name', 'Name servers', 'Records', 'Proof of ownership', 'The certificate'].flatMap((heading) =>
    rowsOf(page, heading).flatMap(([cell = '']) => cell.split(', ')),
  )

  test('explains every code of a finding', () => {
    expect(codes.toSorted()).toEqual([...findingCodes].toSorted())
  })

  test('explains every state of a domain', () => {
    expect(rowsOf(page, 'Domains').map(([state]) => state)).toEqual(knownValues('Domain', 'state'))
  })
})

test('docs/reference/dashboard.md lists every route of the dashboard', () => {
  const listed = rowsOf('docs/reference/dashboard.md', 'Routes').map(([route]) => route?.replace(/\?.*/, ''))
  const declared = Object.values(dashboardEndpoints).map(({ method, path }) => `${method} ${path}`)
  expect(listed.toSorted()).toEqual(declared.toSorted())
})

test('docs/reference/configuration.md lists every option of serve with its variable and default', () => {
  const page = 'docs/reference/configuration.md'
  const listed = ['The service', 'Backups', 'Hosting']
    .flatMap((title) => rowsOf(page, title))
    .map((row) => row.slice(0, 3))
  const declared = Object.entries<OptionSpec>({ ...commonOptions, ...serveOptions }).map(([name, spec]) => [
    optionOf(name, spec),
    spec.hasVariable === false ? 'none' : variableOf(name),
    spec.default,
  ])
  expect(listed.toSorted()).toEqual(declared.toSorted())
})

test('docs/architecture.md lists every job of a store', async () => {
  const store = await openTestStore({ hosting: testHosting })
  const running = store.app.jobs.states().map(({ name }) => name)
  await store.close()
  const listed = rowsOf('docs/architecture.md', 'Jobs').flatMap(([, jobs = '']) => jobs.split('; '))
  expect(running.length).toBeGreaterThan(10)
  expect(running.filter((name) => !listed.includes(name))).toEqual([])
})

test('docs/decisions/README.md lists every decision with its title', () => {
  const decisions = [...new Glob('docs/decisions/0*.md').scanSync(root)].sort().map((page) => {
    const text = textOf(page)
    const [, number = '', title = ''] = /^# (\d+)\. (.+)$/m.exec(text) ?? []
    const link = `[${number}](${page.split('/').at(-1)})`
    return [link, title.replaceAll('`', '')]
  })
  expect(rowsOf('docs/decisions/README.md', 'Decisions')).toEqual(decisions)
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

test('every file of the source that a page names exists', () => {
  const named = pages.flatMap((page) =>
    [...textOf(page).matchAll(/`((?:src|scripts|bench)\/[\w./-]+)`/g)].map(([, path = '']) => ({ page, path })),
  )
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter(({ path }) => !existsSync(join(root, path)))).toEqual([])
})

test('the files that the README names for each package import it', () => {
  const rows = rowsOf('README.md', 'How it is made').map(([name = '', file = '']) => ({
    name: name.replace('bun test', 'bun:test'),
    path: /\((.+)\)/.exec(file)?.[1] ?? '',
  }))
  expect(rows).toHaveLength(8)
  expect(rows.filter(({ name, path }) => !textOf(path).includes(`'${name}`))).toEqual([])
})

test('the tests that the README names exist', () => {
  const examples = [...textOf('README.md').matchAll(/^scripts\/test\.sh (src\/\S+)(?: -t '(.+)')?/gm)]
  expect(examples).toHaveLength(3)
  const files = [...new Glob('src/**/*.test.ts').scanSync(root)]
  for (const [line, path = '', title = ''] of examples) {
    const isFound = files.some((file) => file.includes(path) && textOf(file).includes(title))
    expect([line, isFound]).toEqual([line, true])
  }
})
