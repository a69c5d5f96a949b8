import { describe, expect, test } from 'bun:test'
import { linkSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { emptyFolder } from '../../../testing/executable.ts'
import { deploy, deployTar } from '../testing/site.ts'
import { buildTar, paxEntry, type TarEntry, tarEntry } from '../testing/tar.ts'
import { buildZip } from '../testing/zip.ts'

const good: TarEntry = { name: 'index.html', content: 'hello' }
const rejected = (fault: string) => ({ code: 'invalid_body', message: expect.stringContaining(fault) })
const base256 = (...bytes: number[]) =>
  Buffer.from([...bytes.slice(0, 1), ...Array(12 - bytes.length).fill(0), ...bytes.slice(1)])

describe('a tar archive is rejected whole', () => {
  test.each<[string, readonly (TarEntry | Buffer)[], string]>([
    ['with a symbolic link', [good, { name: 'a', type: '2', link: '/etc/passwd' }], 'is a symbolic link'],
    [
      'with a hard link to what is not in it',
      [good, { name: 'a', type: '1', link: 'x' }],
      'to "x", which is no earlier',
    ],
    ['with a hard link to a later file', [{ name: 'a', type: '1', link: 'index.html' }, good], 'no earlier file'],
    ['with a hard link that leads out', [good, { name: 'a', type: '1', link: '../x' }], 'leads out'],
    [
      'with a hard link to a directory',
      [good, { name: 'b/c' }, { name: 'a', type: '1', link: 'b' }],
      'no earlier file',
    ],
    [
      'with a hard link to what is left out',
      [good, { name: '.b', content: 'x' }, { name: 'a', type: '1', link: '.b' }],
      'which is left out; pack it with --hard-dereference',
    ],
    ['with a link that leads out of what is left out', [good, { name: '.a/../../b', type: '2' }], 'symbolic link'],
    ['with a character device', [good, { name: 'a', type: '3' }], 'is a device'],
    ['with a block device', [good, { name: 'a', type: '4' }], 'is a device'],
    ['with a pipe', [good, { name: 'a', type: '6' }], 'is a pipe'],
    ['with a GNU sparse file', [good, { name: 'a', type: 'S' }], 'sparse'],
    ['with a pax sparse file', [good, paxEntry({ 'GNU.sparse.major': '1' }), { name: 'a' }], 'sparse'],
    ['with a volume header', [{ name: 'vol', type: 'V' }, good], 'neither a file nor a directory'],
    ['with a continuation of another volume', [{ name: 'a', type: 'M' }, good], 'neither a file nor a directory'],
    ['with a directory that has content', [good, { name: 'a', type: '5', content: 'x' }], 'directory that has content'],
    ['with a folder name that has content', [good, { name: 'a/', content: 'x' }], 'directory that has content'],
    ['with an unknown type', [good, { name: 'a', type: 'Z' }], 'neither a file nor a directory'],
    [
      'with a negative size in base 256',
      [good, { name: 'a', sizeField: Buffer.alloc(12, 0xff) }],
      'no number of bytes',
    ],
    ['with a negative octal size', [good, { name: 'a', sizeField: '-0000000001 ' }], 'no number of bytes'],
    ['with a size that is no number', [good, { name: 'a', sizeField: '0000000009x ' }], 'no number of bytes'],
    [
      'with a size beyond 2^53',
      [good, { name: 'a', sizeField: Buffer.concat([Buffer.from([0x80]), Buffer.alloc(11, 0xff)]) }],
      'no number of bytes',
    ],
    [
      'with a size beyond the limit',
      [good, { name: 'a', sizeField: base256(0x80, 1, 0, 0, 0, 0, 0) }],
      'bytes when unpacked',
    ],
    ['with a size beyond its end', [good, { name: 'a', sizeField: '00000010000 ' }], 'truncated'],
    ['with a negative pax size', [good, paxEntry({ size: '-5' }), { name: 'a' }], 'no number of bytes'],
    ['with a pax size in another notation', [good, paxEntry({ size: '0x5' }), { name: 'a' }], 'no number of bytes'],
    ['with a global path', [paxEntry({ path: 'x' }, 'g'), good], 'all files one name'],
    ['with a wrong checksum', [good, { name: 'a', checksum: 7 }], 'checksum'],
    ['with a pax path that leads out', [good, paxEntry({ path: '../x' }), { name: 'a' }], 'leads out'],
    ['with a prefix that leads out', [good, { name: 'x', prefix: '..' }], 'leads out'],
    [
      'with a GNU long name that leads out',
      [good, { name: '././@LongLink', type: 'L', content: '../x\0' }, { name: 'a' }],
      'leads out',
    ],
    ['with a name that is not UTF-8', [good, { name: Buffer.from([0x61, 0xe4]) }], 'not UTF-8'],
    [
      'with a pax record of a wrong length',
      [good, tarEntry({ name: 'p', type: 'x', content: '99 path=x\n' }), { name: 'a' }],
      'extended header',
    ],
    [
      'with a pax record without an end',
      [good, tarEntry({ name: 'p', type: 'x', content: '9 path=xy' }), { name: 'a' }],
      'extended header',
    ],
    ['with an extended header for nothing', [good, paxEntry({ path: 'x' })], 'truncated'],
    [
      'with an extended header that is too long',
      [good, paxEntry({ comment: 'x'.repeat(1_100_000) }), { name: 'a' }],
      'too long',
    ],
  ])('%s', async (_, entries, fault) => {
    await expect(deployTar(entries)).rejects.toMatchObject(rejected(fault))
  })

  test('when it is truncated at any place, as a tar or as its compressed form', async () => {
    const whole = buildTar([good, { name: 'b', content: 'x'.repeat(2000) }])
    for (let end = 1; end < whole.length - 1024; end += 97) {
      if (end % 512 === 0) continue
      await expect(deploy(gzipSync(whole.subarray(0, end)), 'application/gzip')).rejects.toMatchObject({
        code: 'invalid_body',
      })
    }
    const packed = gzipSync(whole)
    for (let end = 0; end < packed.length; end += 7) {
      await expect(deploy(packed.subarray(0, end), 'application/gzip')).rejects.toMatchObject({ code: 'invalid_body' })
    }
  })

  test('when its compressed form is damaged, or it is no tar or not compressed', async () => {
    const packed = gzipSync(buildTar([good]))
    packed[packed.length - 6] = (packed[packed.length - 6] ?? 0) ^ 1
    await expect(deploy(packed, 'application/gzip')).rejects.toMatchObject(rejected('damaged'))
    for (const archive of [buildTar([good]), buildZip([{ name: 'index.html', content: 'zip' }])]) {
      await expect(deploy(archive, 'application/gzip')).rejects.toMatchObject(
        rejected('it is damaged or no gzip archive; a zip archive is sent as application/zip'),
      )
    }
    await expect(deploy(gzipSync('hello'.repeat(500)), 'application/gzip')).rejects.toMatchObject(rejected('no tar'))
    await expect(deploy(gzipSync(''), 'application/gzip')).rejects.toMatchObject(rejected('no files'))
  })

  test('when it is a bomb: a gigabyte of zeros in one file, in headers or after its end costs little time', async () => {
    const started = performance.now()
    const zeros = gzipSync(Buffer.alloc(64_000_000))
    const many = Buffer.concat(Array(16).fill(zeros))
    await expect(deploy(many, 'application/gzip')).rejects.toMatchObject({ code: 'invalid_body' })
    const oneFile = Buffer.concat([gzipSync(tarEntry({ ...good, sizeField: '07777777777 ' })), many])
    await expect(deploy(oneFile, 'application/gzip')).rejects.toMatchObject(rejected('bytes when unpacked'))
    const afterEnd = Buffer.concat([gzipSync(buildTar([good])), many])
    await expect(deploy(afterEnd, 'application/gzip')).rejects.toMatchObject(rejected('continues after its end'))
    const nested = gzipSync(zeros)
    await expect(deploy(nested, 'application/gzip')).rejects.toMatchObject({ code: 'invalid_body' })
    expect(performance.now() - started).toBeLessThan(5000)
  })
})

describe('a tar archive is read', () => {
  test('with long names of pax, GNU and ustar, which count for one entry alone', async () => {
    const long = `${'d'.repeat(90)}/${'ü'.repeat(60)}.html`
    const { contents } = await deployTar([
      good,
      paxEntry({ path: long, mtime: '1600000000.75', size: '3' }),
      { name: 'short', content: 'pax', sizeField: '00000000000 ' },
      { name: '././@LongLink', type: 'L', content: `${'g'.repeat(150)}.html\0` },
      { name: 'short', content: 'gnu', magic: 'ustar  \0', prefix: 'not a prefix' },
      { name: 'name', prefix: 'prefix/of', content: 'ustar' },
      { name: 'v7', magic: '\0', type: '\0', content: 'v7' },
      { name: 'folder/', type: '0' },
      { name: 'contiguous', type: '7', content: 'c' },
    ])
    expect(Object.fromEntries([...contents].map(([path, bytes]) => [path, bytes.toString()]))).toEqual({
      'index.html': 'hello',
      [long]: 'pax',
      [`${'g'.repeat(150)}.html`]: 'gnu',
      'prefix/of/name': 'ustar',
      v7: 'v7',
      contiguous: 'c',
    })
  })

  test('with the time of each file in whole seconds, never before 1970 or after now', async () => {
    const { manifest } = await deployTar([
      paxEntry({ comment: 'a commit' }, 'g'),
      { name: 'a', mtime: 1_600_000_000 },
      paxEntry({ mtime: '1600000000.75' }),
      { name: 'b' },
      paxEntry({ mtime: '-5' }),
      { name: 'c' },
      paxEntry({ mtime: 'never' }),
      { name: 'd' },
      paxEntry({ mtime: '99999999999' }),
      { name: 'e' },
    ])
    const now = Date.UTC(2026, 10, 21)
    expect(manifest.map(({ modifiedMs }) => modifiedMs)).toEqual([1_600_000_000_000, 1_600_000_000_000, 0, 0, now])
  })

  test('without what a deploy leaves out, whatever it is', async () => {
    const { paths } = await deployTar([
      good,
      { name: 'node_modules/.bin/tool', type: '2', link: '../tool/main.js' },
      { name: 'node_modules', type: '2', link: '/srv/modules' },
      { name: 'lib/node_modules/a.js', content: 'a' },
      { name: './.git/hooks', type: '2', link: '/etc/passwd', sizeField: '00000000700 ' },
      { name: '.git/fsmonitor--daemon.ipc', type: '6' },
      { name: '.cache/a\\b', content: 'x' },
      { name: Buffer.from([0x2e, 0xe4]), content: 'x' },
      { name: '.DS_Store', content: 'x' },
      { name: '__MACOSX/a', type: '3' },
      { name: 'last.html', content: 'last' },
    ])
    expect(paths).toEqual(['index.html', 'last.html'])
  })

  test('with hard links, each of which is the file that it names, with its own type', async () => {
    const long = `${'long/'.repeat(30)}a.txt`
    const { manifest, contents } = await deployTar([
      good,
      { name: long, content: 'far away' },
      { name: 'about.txt', type: '1', link: './index.html', sizeField: '00000000005 ' },
      { name: 'again.html', type: '1', link: 'about.txt' },
      paxEntry({ linkpath: long }),
      { name: 'pax.html', type: '1', link: 'short' },
      { name: '././@LongLink', type: 'K', content: `${long}\0` },
      { name: 'gnu.html', type: '1', link: 'short' },
    ])
    expect(Object.fromEntries([...contents].map(([path, bytes]) => [path, bytes.toString()]))).toEqual({
      'index.html': 'hello',
      [long]: 'far away',
      'about.txt': 'hello',
      'again.html': 'hello',
      'pax.html': 'far away',
      'gnu.html': 'far away',
    })
    expect(manifest[2]?.contentType).toBe('text/plain; charset=utf-8')
  })

  test('with at most so many bytes of its hard links, too', async () => {
    const links = Array.from({ length: 3 }, (_, at) => ({ name: `${at}`, type: '1', link: 'index.html' }))
    expect((await deployTar([good, ...links], { files: 10, bytes: 20 })).paths).toHaveLength(4)
    await expect(deployTar([good, ...links], { files: 10, bytes: 19 })).rejects.toMatchObject(
      rejected('more than 19 bytes when unpacked'),
    )
  })

  test('without an end mark, with bytes after it, and in several gzip members', async () => {
    const whole = buildTar([good])
    const archives = [
      gzipSync(whole.subarray(0, -1024)),
      gzipSync(Buffer.concat([whole, Buffer.alloc(20_480)])),
      Buffer.concat([gzipSync(whole.subarray(0, 700)), gzipSync(whole.subarray(700))]),
      Buffer.concat([gzipSync(whole), Buffer.alloc(100_000)]),
    ]
    for (const archive of archives) expect((await deploy(archive, 'application/gzip')).paths).toEqual(['index.html'])
  })
})

test('an archive with any one byte changed gives files or `invalid_body`, never another error', async () => {
  const bytes = buildTar([good, paxEntry({ path: 'a/b.css', mtime: '5' }), { name: 'b', content: 'b'.repeat(700) }])
  await fc.assert(
    fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
      const damaged = Buffer.from(bytes)
      damaged[at] = (damaged[at] ?? 0) ^ change
      const result = await deploy(gzipSync(damaged, { level: 1 }), 'application/gzip').catch((error) => error)
      if (result instanceof Error) expect(result).toMatchObject({ code: 'invalid_body' })
      else expect(result.paths.length).toBeGreaterThan(0)
    }),
    { numRuns: 50 },
  )
})

const gnuTar = Bun.which('tar')
if (!gnuTar) console.error('SKIPPED: archives of GNU tar need tar.')

describe.skipIf(!gnuTar)('archives that tar makes of a directory', () => {
  const pack = (directory: string, ...options: string[]) => {
    const { exitCode, stdout, stderr } = Bun.spawnSync([gnuTar ?? '', '-C', directory, '-cz', ...options, '.'])
    if (exitCode !== 0) throw new Error(stderr.toString())
    return deploy(stdout, 'application/gzip')
  }

  test.each(['v7', 'ustar', 'gnu', 'pax'])('are read in the format %s', async (format) => {
    using directory = emptyFolder()
    const long = format === 'v7' ? 'short' : `${'long-'.repeat(16)}/${'ü'.repeat(20)}`
    mkdirSync(join(directory.path, long), { recursive: true })
    writeFileSync(join(directory.path, 'index.html'), 'hello')
    writeFileSync(join(directory.path, long, 'größe.txt'), Buffer.alloc(300_000, 7))
    const { contents } = await pack(directory.path, `--format=${format}`)
    expect(contents.get('index.html')?.toString()).toBe('hello')
    expect(contents.get(`${long}/größe.txt`)?.equals(Buffer.alloc(300_000, 7))).toBe(true)
    expect(contents.size).toBe(2)
  })

  test('are read with hard links, and what a deploy leaves out is skipped', async () => {
    using directory = emptyFolder()
    const at = (name: string) => join(directory.path, name)
    for (const name of ['.git', 'node_modules/.bin']) mkdirSync(at(name), { recursive: true })
    writeFileSync(at('index.html'), 'hello')
    linkSync(at('index.html'), at('link.html'))
    symlinkSync('/etc/passwd', at('.git/link'))
    symlinkSync('../tool', at('node_modules/.bin/tool'))
    const { contents } = await pack(directory.path)
    expect([...contents].map(([path, bytes]) => [path, bytes.toString()]).toSorted()).toEqual([
      ['index.html', 'hello'],
      ['link.html', 'hello'],
    ])
  })

  test('are rejected with symbolic links and sparse files', async () => {
    {
      using directory = emptyFolder()
      writeFileSync(join(directory.path, 'index.html'), 'hello')
      symlinkSync('index.html', join(directory.path, 'link'))
      await expect(pack(directory.path)).rejects.toMatchObject(rejected('is a symbolic link'))
    }
    for (const format of ['gnu', 'pax']) {
      using directory = emptyFolder()
      writeFileSync(join(directory.path, 'sparse'), 'x')
      truncateSync(join(directory.path, 'sparse'), 10_000_000)
      await expect(pack(directory.path, '--sparse', `--format=${format}`)).rejects.toMatchObject(rejected('sparse'))
    }
  })
})
