import { heapStats } from 'bun:jsc'
import { describe, expect, test } from 'bun:test'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32, deflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { emptyFolder } from '../../../testing/executable.ts'
import { deploy, deployZip } from '../testing/site.ts'
import { buildZip, type ZipEntry } from '../testing/zip.ts'
import { archiveLimits } from './unpack.ts'
import { readZip } from './zip.ts'

const good: ZipEntry = { name: 'index.html', content: 'hello hello hello hello' }
const rejected = (fault: string) => ({ code: 'invalid_body', message: expect.stringContaining(fault) })

describe('a zip archive is rejected whole', () => {
  test.each<[string, readonly ZipEntry[], string]>([
    ['with an encrypted entry', [good, { name: 'a', flags: 0x801 }], 'is encrypted'],
    ['with a strongly encrypted entry', [good, { name: 'a', flags: 0x841 }], 'is encrypted'],
    ['with an encrypted directory', [good, { name: 'a', flags: 0x2800 }], 'is encrypted'],
    ['with a symbolic link', [good, { name: 'a', content: '/etc/passwd', mode: 0o120777 }], 'symbolic link'],
    ['with a device', [good, { name: 'a', mode: 0o020666 }], 'neither a file nor a directory'],
    ['with a pipe', [good, { name: 'a', mode: 0o010666 }], 'neither a file nor a directory'],
    ['with a socket', [good, { name: 'a', mode: 0o140666 }], 'neither a file nor a directory'],
    ['with a directory that has content', [good, { name: 'a/', content: 'x' }], 'directory that has content'],
    ['with a method other than deflate', [good, { name: 'a', method: 12 }], 'method 12'],
    ['with a wrong checksum', [good, { name: 'a', content: 'x', crc: 1 }], 'checksum'],
    ['with a size that is too small', [good, { name: 'a', content: 'xxxx', size: 2 }], 'damaged'],
    ['with a size that is too large', [good, { name: 'a', content: 'xxxx', size: 9 }], 'smaller than the archive'],
    ['with a stored size that lies', [good, { name: 'a', content: 'xxxx', isStored: true, size: 2 }], 'damaged'],
    ['with damaged deflate data', [good, { name: 'a', content: 'x', raw: Buffer.alloc(50, 0xff) }], 'damaged'],
    [
      'with truncated deflate data',
      [{ ...good, raw: deflateRawSync('hello hello hello hello').subarray(0, 5) }],
      'damaged',
    ],
    [
      'with a content that reaches into the directory',
      [good, { name: 'a', content: 'x', compressedSize: 60 }],
      'overlaps',
    ],
    ['with a content beyond the file', [good, { name: 'a', content: 'x', compressedSize: 1e6 }], 'damaged'],
    ['with a position that is no header', [good, { name: 'a', content: 'x', offset: 3 }], 'damaged'],
    ['with a name that is not UTF-8 but says so', [good, { name: Buffer.from([0x61, 0xff]) }], 'not UTF-8'],
    ['with two entries for one content', [good, { name: 'b', content: good.content ?? '', offset: 0 }], 'overlaps'],
  ])('%s', async (_, entries, fault) => {
    await expect(deployZip(entries)).rejects.toMatchObject(rejected(fault))
  })

  test('with thousands of entries that share one content (a bomb of overlapping files)', async () => {
    const content = Buffer.alloc(1_000_000)
    const raw = deflateRawSync(content)
    const bomb = Array.from({ length: 400 }, (_, at) => ({
      name: `f${at}`,
      content: at ? '' : content,
      raw: at ? Buffer.alloc(0) : raw,
      size: content.length,
      compressedSize: raw.length,
      offset: 0,
      crc: 0,
    }))
    await expect(deployZip(bomb)).rejects.toMatchObject(rejected('overlaps'))
  })

  test('with a quine-like overlap: an entry inside the stored content of another', async () => {
    const inner = buildZip([{ name: 'inner', content: 'x', isStored: true }]).subarray(0, 36)
    const entries = [
      { name: 'outer', content: inner, isStored: true },
      { name: 'inner', content: 'x', isStored: true, offset: 35 },
    ]
    await expect(deployZip(entries)).rejects.toMatchObject(rejected('overlaps'))
  })

  test('that declares few bytes and has many: unpacking stops at the declared size', async () => {
    const content = Buffer.alloc(30_000_000)
    const started = performance.now()
    const small = { name: 'bomb', content, size: 1000 }
    await expect(deployZip([good, small])).rejects.toMatchObject({ code: 'invalid_body' })
    const large = { name: 'bomb', content, size: 2_000_000 }
    await expect(deployZip([good, large])).rejects.toMatchObject(rejected('larger than the archive declares'))
    expect(performance.now() - started).toBeLessThan(3000)
  })

  test('with more entries in its directory than there are, or none of it', async () => {
    const bytes = buildZip([good])
    await expect(deploy(buildZip([good], { entryCount: 3 }), 'application/zip')).rejects.toMatchObject(
      rejected('damaged'),
    )
    await expect(deploy(bytes.subarray(0, -10), 'application/zip')).rejects.toMatchObject(rejected('no zip archive'))
    await expect(deploy(Buffer.alloc(0), 'application/zip')).rejects.toMatchObject(rejected('no zip archive'))
    await expect(deploy(Buffer.from('hello'), 'application/zip')).rejects.toMatchObject(rejected('no zip archive'))
    await expect(deploy(Buffer.concat([bytes, Buffer.from('tail')]), 'application/zip')).rejects.toMatchObject(
      rejected('damaged'),
    )
  })

  test('with fewer entries in its end record than in its directory, whose rest would be lost unnoticed', async () => {
    const zip = buildZip([good, { name: 'b', content: 'x' }], { entryCount: 1 })
    await expect(deploy(zip, 'application/zip')).rejects.toMatchObject(rejected('its end record names another number'))
  })

  test('with a count of entries that only a 64-bit number holds', async () => {
    const bytes = buildZip([good], { isZip64: true, entryCount: 2 ** 40 })
    await expect(deploy(bytes, 'application/zip')).rejects.toMatchObject(rejected('more than 80000 entries'))
  })

  test('with sizes beyond the limit in zip64 fields', async () => {
    const entry = { name: 'a', content: 'x', size: 2 ** 45, isZip64: true }
    await expect(deployZip([good, entry])).rejects.toMatchObject(rejected('bytes when unpacked'))
  })
})

describe('a zip archive is read by its directory', () => {
  test('with data descriptors, zip64 fields, comments and stored entries', async () => {
    const entries: ZipEntry[] = [
      { ...good, hasDescriptor: true },
      { name: 'z.txt', content: 'zip64', isZip64: true },
      { name: 's.txt', content: 'stored', isStored: true },
      { name: 'empty.txt' },
      { name: 'folder/', mode: 0o040755 },
    ]
    for (const options of [{}, { isZip64: true }, { comment: 'made by hand' }]) {
      const { contents } = await deploy(buildZip(entries, options), 'application/zip')
      expect([...contents].map(([path, bytes]) => [path, bytes.toString()])).toEqual([
        ['index.html', 'hello hello hello hello'],
        ['z.txt', 'zip64'],
        ['s.txt', 'stored'],
        ['empty.txt', ''],
      ])
    }
  })

  test('without what a deploy leaves out, whatever it is', async () => {
    const { paths } = await deployZip([
      good,
      { name: 'node_modules/.bin/tool', content: '../tool', mode: 0o120777 },
      { name: '.git/secret', flags: 0x801 },
      { name: '.git/pipe', mode: 0o010666 },
      { name: '__MACOSX/a', method: 12 },
    ])
    expect(paths).toEqual(['index.html'])
  })

  test('with backslashes as separators where no name has a slash', async () => {
    const entries = [
      { name: 'site\\index.html', content: 'home' },
      { name: 'site\\blog\\', mode: 0 },
      { name: 'site\\blog\\a.html', content: 'a' },
      { name: 'site\\.git\\config', content: 'secret' },
    ]
    expect((await deployZip(entries)).paths).toEqual(['blog/a.html', 'index.html'])
    await expect(deployZip([...entries, { name: 'b/c' }])).rejects.toMatchObject(
      rejected('has a backslash in its name'),
    )
    await expect(deployZip([{ name: '..\\evil.html' }])).rejects.toMatchObject(rejected('leads out'))
  })

  test('with zeros behind its end', async () => {
    for (const comment of ['', 'a comment\0\0']) {
      const zip = Buffer.concat([buildZip([good], { comment }), Buffer.alloc(5_000)])
      expect((await deploy(zip, 'application/zip')).paths).toEqual(['index.html'])
    }
  })

  test('with the name of the field 0x7075 instead of one in ASCII, unless its checksum is of another name', async () => {
    const field = (unicode: string, ascii: string) => {
      const data = Buffer.concat([Buffer.from([1, 0, 0, 0, 0]), Buffer.from(unicode)])
      data.writeUInt32LE(crc32(ascii), 1)
      const head = Buffer.from([0x75, 0x70, data.length, 0])
      return Buffer.concat([head, data])
    }
    const { paths } = await deployZip([
      { ...good, extra: field('index.html', 'index.html') },
      { name: 'gr_n.html', flags: 0, extra: field('grün.html', 'gr_n.html') },
      { name: '_.html', extra: field('東.html', '_.html') },
      { name: 'old.html', flags: 0, extra: field('neu.html', 'other.html') },
    ])
    expect(paths).toEqual(['grün.html', 'index.html', 'old.html', '東.html'])
    const evil = { name: 'a.html', flags: 0, extra: field('../evil.html', 'a.html') }
    await expect(deployZip([good, evil])).rejects.toMatchObject(rejected('leads out'))
  })

  test('the name before the content is not believed', async () => {
    const { paths } = await deployZip([{ ...good, localName: '../../evil' }])
    expect(paths).toEqual(['index.html'])
  })

  test('an entry that the directory does not name is not unpacked', async () => {
    const hidden = buildZip([{ name: 'hidden.html', content: 'x' }]).subarray(0, 43)
    const visible = buildZip([good])
    // The offsets of the visible part are relative to its own begin.
    visible.writeUInt32LE(visible.readUInt32LE(visible.length - 6) + hidden.length, visible.length - 6)
    const central = visible.indexOf(Buffer.from('PK\x01\x02', 'latin1'))
    visible.writeUInt32LE(hidden.length, central + 42)
    expect((await deploy(Buffer.concat([hidden, visible]), 'application/zip')).paths).toEqual(['index.html'])
  })

  test('names without the UTF-8 flag are UTF-8 where they are valid, and code page 437 otherwise', async () => {
    const { paths } = await deployZip([
      { name: 'grün.txt', content: '1', flags: 0 },
      { name: Buffer.from([0x81, 0x2e, 0x74]), content: '2', flags: 0 },
    ])
    expect(paths).toEqual(['grün.txt', 'ü.t'])
  })
})

test('the extra fields of an archive, which may be millions, are not kept in memory', async () => {
  using directory = emptyFolder()
  const file = join(directory.path, 'archive')
  const extra = Buffer.alloc(65_532, Buffer.from([0x99, 0x99, 0, 0]))
  writeFileSync(file, buildZip(Array.from({ length: 50 }, (_, at) => ({ name: `${at}`, extra }))))
  const objects = () => {
    Bun.gc(true)
    return heapStats().objectCount
  }
  const before = objects()
  let read = 0
  for await (const _ of readZip(file, archiveLimits)) {
    // The first entry comes after all of them were found. They have 800,000 fields; modules that are loaded meanwhile
    // count, too.
    if (read++ === 0) expect(objects() - before).toBeLessThan(400_000)
  }
  expect(read).toBe(50)
})

test('an archive with any one byte changed gives the right contents or is rejected, never anything else', async () => {
  const entries = [good, { name: 'a/b.css', content: 'b'.repeat(500) }, { name: 'c', content: 'cc', isStored: true }]
  const bytes = buildZip(entries)
  await fc.assert(
    fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
      const damaged = Buffer.from(bytes)
      damaged[at] = (damaged[at] ?? 0) ^ change
      const result = await deploy(damaged, 'application/zip').catch((error) => error)
      if (result instanceof Error) expect(result).toMatchObject({ code: 'invalid_body' })
      else {
        const texts = new Set(entries.map(({ content }) => content ?? ''))
        expect([...result.contents.values()].every((content: Buffer) => texts.has(content.toString()))).toBe(true)
      }
    }),
    { numRuns: 50 },
  )
})

const python = Bun.which('python3')
if (!python) console.error('SKIPPED: archives of Python need python3.')

test.skipIf(!python)('archives that Python makes of a directory and of a stream are read', async () => {
  using directory = emptyFolder()
  const root = join(directory.path, 'site')
  mkdirSync(join(root, 'größe'), { recursive: true })
  writeFileSync(join(root, 'index.html'), 'hello')
  writeFileSync(join(root, 'größe', 'a.txt'), 'x'.repeat(5000))
  symlinkSync('index.html', join(directory.path, 'link'))
  const script = `
import os, sys, shutil, zipfile
os.chdir(sys.argv[1])
shutil.make_archive('plain', 'zip', '.', 'site')
class Pipe:
    def __init__(self, f): self.f = f
    def write(self, b): return self.f.write(b)
    def flush(self): pass
with open('stream.zip', 'wb') as f, zipfile.ZipFile(Pipe(f), 'w', zipfile.ZIP_DEFLATED) as z:
    z.write('site/index.html'); z.write('site/größe/a.txt')
with zipfile.ZipFile('big.zip', 'w', zipfile.ZIP_DEFLATED) as z:
    with z.open('site/index.html', 'w', force_zip64=True) as f: f.write(b'hello')
`
  const { exitCode, stderr } = Bun.spawnSync([python ?? '', '-c', script, directory.path])
  if (exitCode !== 0) throw new Error(stderr.toString())
  for (const name of ['plain.zip', 'stream.zip', 'big.zip']) {
    const { contents } = await deploy(await Bun.file(join(directory.path, name)).bytes(), 'application/zip')
    expect(contents.get('index.html')?.toString()).toBe('hello')
    if (name !== 'big.zip') expect(contents.get('größe/a.txt')?.length).toBe(5000)
  }
})
