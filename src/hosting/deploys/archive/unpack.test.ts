import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { deployTar, deployZip } from '../testing/site.ts'
import type { ArchiveEntry } from './entry.ts'
import { unpackEntries } from './unpack.ts'

const formats = [
  ['zip', deployZip],
  ['tar.gz', deployTar],
] as const

const part = fc.stringMatching(/^[a-zß-öœΩ東京 _-][a-z0-9ß-öœΩ東京 ._~%?#-]{0,11}$/u)
const site = fc.dictionary(
  fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/')),
  fc.uint8Array({ maxLength: 3000 }),
  { minKeys: 1, maxKeys: 12 },
)
const fold = (path: string) => path.normalize('NFC').toUpperCase().toLowerCase()

describe.each(formats)('%s', (_, deploy) => {
  const names = (paths: readonly string[]) => paths.map((name, at) => ({ name, content: String(at) }))

  test('every archive of distinct paths round-trips, whatever its names and contents', async () => {
    await fc.assert(
      fc.asyncProperty(site, async (files) => {
        const paths = Object.keys(files)
        const folded = paths.map(fold)
        const clash = folded.some((one, at) =>
          folded.some((two, other) => other !== at && `${two}/`.startsWith(`${one}/`)),
        )
        const directories = new Set(
          paths.flatMap((path) => path.split('/').map((_, at, all) => all.slice(0, at).join('/').normalize('NFC'))),
        )
        fc.pre(!clash && new Set([...directories].map(fold)).size === directories.size)
        // The second folder keeps the first from being a top folder that is stripped.
        const entries = Object.entries(files).map(([path, content]) => ({ name: `one/${path}`, content }))
        const { contents } = await deploy([...entries, { name: 'two/index.html', content: 'two' }])
        contents.delete('two/index.html')
        expect(new Set(contents.keys())).toEqual(new Set(paths.map((path) => `one/${path}`.normalize('NFC'))))
        for (const [path, content] of Object.entries(files)) {
          expect(contents.get(`one/${path}`.normalize('NFC'))).toEqual(Buffer.from(content))
        }
      }),
      { numRuns: 10 },
    )
  })

  test.each([
    ['../evil.html', 'leads out of the archive'],
    ['a/../../evil.html', 'leads out of the archive'],
    ['a/../../a/b', 'leads out of the archive'],
    ['a/..', 'has ".." in its path; leave it out'],
    ['a/../b.txt', 'has ".." in its path; leave it out'],
    ['/etc/passwd', 'absolute path'],
    ['//host/share', 'absolute path'],
    ['C:/evil.html', 'begins like the drive of an absolute path'],
    ['a:b', 'begins like the drive of an absolute path'],
    ['a/b\\evil.html', 'backslash'],
    ['.hidden/../../evil', 'leads out of the archive'],
    ['__MACOSX/../../evil', 'leads out of the archive'],
    ['a\nb.html', 'control character'],
    ['a\u001b[31m.html', 'control character'],
    ['a\u0085.html', 'control character'],
    ['.', 'a file without a name'],
    ['./', undefined],
  ])('the name %j is rejected, and nothing is left', async (name, fault) => {
    const entries = [...names(['index.html']), { name, content: fault === undefined ? '' : 'x' }]
    if (fault === undefined) expect((await deploy(entries)).paths).toEqual(['index.html'])
    else
      await expect(deploy(entries)).rejects.toMatchObject({
        code: 'invalid_body',
        message: expect.stringContaining(fault),
      })
  })

  test('the database of a store is rejected under any name, and other databases are served', async () => {
    const database = (applicationId: number) => {
      const page = Buffer.alloc(4096)
      page.write('SQLite format 3\0', 'latin1')
      page.writeUInt32BE(applicationId, 68)
      return page
    }
    const rejection = { code: 'invalid_body', message: expect.stringContaining('is the database of a store') }
    const [live, test, other] = [database(0x5045544c), database(0x50455454), database(0)]
    for (const entry of [
      { name: 'backups/a.txt', content: live },
      { name: 'a', content: test },
    ]) {
      await expect(deploy([{ name: 'index.html', content: 'a' }, entry])).rejects.toMatchObject(rejection)
    }
    const served = [
      { name: 'animals.db', content: other },
      { name: 'staging.db', content: 'A database of photographs. '.repeat(40) },
      { name: 'production-files/report.pdf', content: 'a' },
      { name: 'production-certificates/iso-9001.pdf', content: 'a' },
      { name: 'short.db', content: live.subarray(0, 90) },
    ]
    expect((await deploy(served)).paths.toSorted()).toEqual(served.map(({ name }) => name).toSorted())
  })

  test.each([
    'production-secrets.json',
    'data/staging-secrets.json',
    'data/production-certificates/0b0cfe1c-6f6c-4a5f-9d7a-1f1f2f3f4f5f.key',
    './staging-certificates/0b0cfe1c-6f6c-4a5f-9d7a-1f1f2f3f4f5f.pem',
  ])('the secrets of a store are rejected: %s', async (name) => {
    await expect(deploy(names(['index.html', name]))).rejects.toMatchObject({
      code: 'invalid_body',
      message: expect.stringContaining('is a secret of a store and would publish keys and customers'),
    })
  })

  test('the error names the entry with its control characters escaped and its length bounded', async () => {
    const error = await deploy(names(['\u001b[2J"\u202ex\n.html'])).catch((caught) => caught)
    expect(error.message).toContain('"\\u{1b}[2J\\"\\u{202e}x\\u{a}.html"')
    const long = await deploy(names([`a\n${'b'.repeat(80)}`])).catch((caught) => caught)
    expect(long.message.length).toBeLessThan(400)
  })

  test.each([
    [['a.html', 'a.html']],
    [['a.html', 'A.HTML']],
    [['straße', 'STRASSE']],
    [['caf\u00e9', 'cafe\u0301']],
    [['a', 'a/b']],
    [['a/b', 'A']],
    [['A/b/c', 'a/B']],
    [['x//a', 'x/a']],
    [['A/x.txt', 'a/y.txt']],
    [['b/straße/x', 'b/STRASSE/y']],
    [['./a', 'a']],
  ])('the names %j are rejected as one file', async (paths) => {
    await expect(deploy(names(paths))).rejects.toMatchObject({ code: 'invalid_body' })
  })

  test('names are stored in NFC, and `.` and empty parts are dropped', async () => {
    const { paths } = await deploy(names(['./cafe\u0301//index.html', 'b.html']))
    expect(paths).toEqual(['b.html', 'caf\u00e9/index.html'])
  })

  test('a single top folder is stripped, also beside dotfiles and what macOS adds', async () => {
    const all = ['site/index.html', 'site/a/b.css', '__MACOSX/site/._index.html', '.DS_Store', '._site', 'site/.env']
    expect((await deploy(names(all))).paths).toEqual(['a/b.css', 'index.html'])
    expect((await deploy(names(['a/x.html', 'b/x.html']))).paths).toEqual(['a/x.html', 'b/x.html'])
    expect((await deploy(names(['a/x.html', 'x.html']))).paths).toEqual(['a/x.html', 'x.html'])
    expect((await deploy(names(['a/b/x.html']))).paths).toEqual(['b/x.html'])
  })

  test('dotfiles are left out, except those in `.well-known`; so is what the service serves itself', async () => {
    const all = ['.env', '.git/config', 'a/.htpasswd', '.well-known/security.txt', '.well-known/.secret', 'index.html']
    const reserved = ['.well-known/acme-challenge/x', '.well-known/PKI-validation/y.txt']
    const result = await deploy(names([...all, ...reserved]))
    expect(result.paths).toEqual(['.well-known/security.txt', 'index.html'])
    expect((await deploy(names(['.well-known/security.txt']))).paths).toEqual(['.well-known/security.txt'])
    expect((await deploy(names(['site/.well-known/a.txt']))).paths).toEqual(['.well-known/a.txt'])
  })

  test('an archive without a file to serve is rejected', async () => {
    for (const paths of [[], ['.env'], ['__MACOSX/a'], ['.well-known/acme-challenge/x']]) {
      await expect(deploy(names(paths))).rejects.toMatchObject({ code: 'invalid_body' })
    }
  })

  test('an archive has at most so many files and bytes; what is left out does not count as a file', async () => {
    const limits = { files: 3, bytes: 10 }
    const three = names(['a', 'b', 'c'])
    expect((await deploy([...three, ...names(['.d'])], limits)).paths).toHaveLength(3)
    await expect(deploy([...three, ...names(['d'])], limits)).rejects.toThrow('more than 3 files')
    await expect(deploy([{ name: 'a', content: 'x'.repeat(11) }], limits)).rejects.toThrow('more than 10 bytes')
    const six = 'x'.repeat(6)
    const two = [
      { name: 'a', content: six },
      { name: 'b', content: six },
    ]
    await expect(deploy(two, limits)).rejects.toThrow('more than 10 bytes')
    const folders = Array.from({ length: 14 }, (_, at) => ({ name: `${at}/` }))
    await expect(deploy([...folders, ...three], limits)).rejects.toThrow('entries')
  })

  test('an archive has at most four directories for each file that it may have, those in names of files included', async () => {
    const limits = { files: 3, bytes: 10 }
    const deep = (top: string, depth: number) => `${top}/${'a/'.repeat(depth - 1)}index.html`
    expect((await deploy(names([deep('b', 11), 'c/index.html']), limits)).paths).toHaveLength(2)
    const many = names([deep('b', 11), 'c/index.html', 'd/index.html'])
    await expect(deploy(many, limits)).rejects.toMatchObject({
      code: 'invalid_body',
      message: 'The archive is rejected: it has more than 12 directories.',
    })
    // 505 directories each, in a name of less than 1,024 bytes.
    const bomb = names(Array.from({ length: 20 }, (_, at) => deep(String(at), 505)))
    await expect(deploy(bomb, { files: 1_000, bytes: 1_000_000 })).rejects.toThrow('it has more than 4000 directories.')
  })

  test('the same content at several paths is one content', async () => {
    const { manifest } = await deploy([
      { name: 'a', content: 'same' },
      { name: 'b.html', content: 'same' },
    ])
    expect(new Set(manifest.map(({ hash }) => hash)).size).toBe(1)
    expect(manifest[1]).toEqual({
      path: 'b.html',
      hash: new Bun.CryptoHasher('sha256').update('same').digest('hex'),
      size: 4,
      contentType: 'text/html; charset=utf-8',
      modifiedMs: expect.any(Number),
    })
  })

  test('contents of several megabytes round-trip', async () => {
    const content = Buffer.alloc(5_000_001, 'all work and no play ')
    const { contents } = await deploy([
      { name: 'big.txt', content },
      { name: 'small.txt', content: 'x' },
    ])
    expect(contents.get('big.txt')?.equals(content)).toBe(true)
  })
})

test.each([
  ['thousands of folders', 5_000, (at: number) => `folder-${at}/`],
  ['long paths', 100, (at: number) => `${'a/'.repeat(500)}${at}/`],
])('requests are served while an archive with %s is read', async (_, count, nameOf) => {
  let served = 0
  let isRead = false
  const serve = () => {
    served++
    if (!isRead) setImmediate(serve)
  }
  async function* entries(): AsyncGenerator<ArchiveEntry> {
    const common = { modifiedMs: 0, size: 0, chunks: () => [] as never }
    for (let i = 0; i < count; i++) yield { ...common, kind: 'directory', name: nameOf(i) }
    isRead = true
    yield { ...common, kind: 'file', name: 'index.html' }
  }
  setImmediate(serve)
  const batch = { add: async () => ({ hash: '0'.repeat(64), size: 0 }) }
  await unpackEntries(entries(), { batch, nowMs: 0 })
  expect(served).toBeGreaterThanOrEqual(10)
})
