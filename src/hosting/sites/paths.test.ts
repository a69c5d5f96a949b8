import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { findIn } from '../../testing/stored-files.ts'
import type { Manifest } from '../deploys/manifest.ts'
import { requestedPath, targetOf } from './paths.ts'

const manifestOf = (paths: readonly string[]): Manifest =>
  paths.map((path) => ({ path, hash: '0'.repeat(64), size: 1, contentType: 'text/html', modifiedMs: 0 }))

/** The path of the file that a URL's path leads to, `→ path` for a redirect, undefined for neither. */
function createLookup(paths: readonly string[]) {
  const find = findIn(manifestOf(paths))
  return (path: string): string | undefined => {
    const key = requestedPath(`http://shop.example${path}`)
    const target = key === undefined ? undefined : targetOf(find, key)
    if (target === undefined) return undefined
    return 'file' in target ? target.file.path : `→ ${target.location}`
  }
}

function expectLookups(paths: readonly string[], expected: Readonly<Record<string, string | undefined>>): void {
  const find = createLookup(paths)
  for (const [path, found] of Object.entries(expected)) expect([path, find(path)]).toEqual([path, found])
}

describe('an address', () => {
  test('of a directory serves its index.html, with a slash at its end', () => {
    expectLookups(['index.html', 'docs/index.html', 'docs/api/index.html', 'img/a.png'], {
      '/': 'index.html',
      '/?a=/b': 'index.html',
      '/index.html': 'index.html',
      '/docs/': 'docs/index.html',
      '/docs': '→ /docs/',
      '/docs/index.html': 'docs/index.html',
      '/docs/api': '→ /docs/api/',
      '/index': '→ /',
      '/index/': '→ /',
      '/docs/index': '→ /docs/',
      '/docs/index/': '→ /docs/',
      '/docs/api/index': '→ /docs/api/',
      '/img/index': undefined,
      '/img/index/': undefined,
      '//index': undefined,
      '//docs/index': undefined,
      '/docs//index': undefined,
      '/Index': undefined,
      '/docs//': undefined,
      '//docs/': undefined,
      '/img': undefined,
      '/img/': undefined,
      '/img/a.png': 'img/a.png',
      '/IMG/a.png': undefined,
    })
  })

  test('may leave out .html, without a slash at its end', () => {
    expectLookups(['about.html', 'blog/first.html', 'blog.html', 'team.html', 'team/index.html', 'x', 'x.html'], {
      '/about': 'about.html',
      '/about.html': 'about.html',
      '/about/': '→ /about',
      '/blog': 'blog.html',
      '/blog/': '→ /blog',
      '/blog/first': 'blog/first.html',
      '/team': 'team.html',
      '/team/': 'team/index.html',
      '/x': 'x',
      '/About': undefined,
    })
  })

  test('of a page or directory with the name index comes before that of the directory around it', () => {
    expectLookups(['index.html', 'index/index.html'], { '/index': '→ /index/', '/index/': 'index/index.html' })
    expectLookups(['index.html', 'index'], { '/index': 'index', '/index/': '→ /' })
    expectLookups(['index.html.html'], { '/index.html': 'index.html.html', '/index': undefined })
  })

  test('is decoded once, and compared in NFC', () => {
    const files = ['caf\u00e9 menu.html', 'a+b.txt', '100%25.txt', 'tag#1.txt', 'wei\u00df/index.html', '%2e%2e.txt']
    expectLookups(files, {
      '/caf%C3%A9%20menu': 'caf\u00e9 menu.html',
      '/cafe%CC%81%20menu.html': 'caf\u00e9 menu.html',
      '/caf%c3%a9%20menu/': '→ /caf%C3%A9%20menu',
      '/a+b.txt': 'a+b.txt',
      '/a%2Bb.txt': 'a+b.txt',
      '/100%2525.txt': '100%25.txt',
      '/100%25.txt': undefined,
      '/tag%231.txt': 'tag#1.txt',
      '/wei%C3%9F': '→ /wei%C3%9F/',
      '/%252e%252e.txt': '%2e%2e.txt',
    })
  })

  test('that is no path of a file leads nowhere', () => {
    expectLookups(['index.html', 'a/b.txt', 'etc/passwd'], {
      '/a%2Fb.txt': undefined,
      '/a%5Cb.txt': undefined,
      '/%zz': undefined,
      '/%': undefined,
      '/%E9': undefined,
      '/%00': undefined,
      '/..%2f..%2fetc/passwd': undefined,
      '/undefined': undefined,
      '/constructor': undefined,
      '/__proto__': undefined,
    })
  })

  test('never leads to hidden files, nor to the challenges of certificate authorities', () => {
    const files = [
      '.env',
      '.git/config',
      'a/.htpasswd',
      'a/.well-known/b.txt',
      '.well-known/security.txt',
      '.well-known/.hidden',
      '.well-known/acme-challenge/token',
      '.well-known/acme-challenge/index.html',
      '.well-known/acme-challenge.html',
      '.well-known/pki-validation/fileauth.txt',
    ]
    const find = createLookup(files)
    const requested = [...files, '.well-known/acme-challenge', '.well-known/acme-challenge/', '.well-known/']
    // Only the file beside the directory of the challenges has another name.
    const found = requested.filter((path) => find(`/${path}`) !== undefined)
    expect(found).toEqual(['.well-known/security.txt', '.well-known/acme-challenge.html'])
  })

  test('of a redirect stays on the site, whatever names a manifest has', () => {
    const files = [
      '/evil.example/index.html',
      '//evil.example.html',
      '\\evil.example/index.html',
      'a//b.html',
      '\ud800.html',
    ]
    const find = findIn(manifestOf(files))
    const names = ['/evil.example', '//evil.example', '\\evil.example', 'a//b', 'a/', '/', '\ud800']
    const targets = names.flatMap((name) => [name, `${name}/`].map((path) => targetOf(find, path)))
    const locations = targets.flatMap((target) => (target && 'location' in target ? [target.location] : []))
    expect(locations).toEqual(['/%5Cevil.example/'])
  })
})

/** The rules of docs/decisions/0022-sites.md, one by one, over the list of files. */
function model(paths: readonly string[], requested: string): string | undefined {
  if (paths.includes(requested)) return requested
  const isDirectory = requested === '' || requested.endsWith('/')
  if (isDirectory) {
    if (paths.includes(`${requested}index.html`)) return `${requested}index.html`
    const page = requested.slice(0, -1)
    return isPage(`${page}.html`) ? `→ /${page}` : directoryOf(page)
  }
  if (isPage(`${requested}.html`)) return `${requested}.html`
  return paths.includes(`${requested}/index.html`) ? `→ /${requested}/` : directoryOf(requested)

  function directoryOf(page: string): string | undefined {
    const [, directory] = /^(|.*\/)index$/.exec(page) ?? []
    return paths.includes(`${page}.html`) && directory !== undefined ? `→ /${directory}` : undefined
  }

  function isPage(path: string): boolean {
    return paths.includes(path) && path !== 'index.html' && !path.endsWith('/index.html')
  }
}

test('any manifest and any path agree with a plain model', () => {
  const name = fc.constantFrom('a', 'b', 'index', 'index.html', 'a.html', 'b.html', 'c.txt', 'html', '404.html')
  const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'))
  const requested = fc.tuple(path, fc.constantFrom('', '/', '//')).map((parts) => parts.join(''))
  fc.assert(
    fc.property(
      fc.uniqueArray(path, { maxLength: 12 }),
      fc.array(fc.oneof(requested, fc.constant(''))),
      (files, all) => {
        const find = createLookup(files)
        for (const one of all) expect([one, find(`/${one}`)]).toEqual([one, model(files, one)])
        for (const file of files) expect(find(`/${file}`)).toBe(file)
      },
    ),
    { numRuns: 1_000 },
  )
})

test('any name is found under its encoded path, decomposed or not', () => {
  const part = fc
    .string({ unit: 'binary', minLength: 1, maxLength: 8 })
    .map((text) => text.normalize('NFC').replaceAll('/', ''))
    .filter((text) => text !== '' && !text.startsWith('.') && text.isWellFormed())
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 3 }), (parts) => {
      const find = createLookup([parts.join('/')])
      const encode = (form: string) => `/${parts.map((one) => encodeURIComponent(one.normalize(form))).join('/')}`
      expect(find(encode('NFC'))).toBe(parts.join('/'))
      expect(find(encode('NFD'))).toBe(parts.join('/'))
    }),
    { numRuns: 200 },
  )
})
