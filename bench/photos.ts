/**
 * Measures photos: the processor time and memory of their encoding, the response times of the API beside uploads, the
 * list of profiles, and what a store with 20,000 photos costs at a start, in memory, in lists and in a backup. Processor
 * time is that of the process, whatever else the machine does.
 *
 *     bun bench/photos.ts [ANIMALS] [PHOTOS] [--record]
 */

import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { blackPng, flatJpeg } from '../src/shop/photos/testing/hostile.ts'
import { makeAnimals } from './animals.ts'
import {
  executable,
  median,
  medianWithRange,
  type P99,
  type ProcessorTimes,
  petstore,
  probe,
  processorTimes,
  report,
  residentMiB,
  spentSince,
  start,
  wholeNumber,
} from './measure.ts'

const [animals = 100_000, photos = 20_000] = process.argv.slice(2).flatMap((text) => Number(text) || [])
const [starts, pages, seconds, rounds] = [10, 500, 5, 5]
const folder = mkdtempSync(join(tmpdir(), 'petstore-bench-'))

const sent = await imagesToEncode()
const encoded: string[][] = []
for (const [name, bytes] of Object.entries(sent)) {
  const used = []
  for (let round = 0; round < rounds; round++) used.push(await encode(bytes))
  const processor = medianWithRange(
    used.map(({ processorMs }) => processorMs),
    0,
  )
  encoded.push([
    name,
    megabytes(bytes.length),
    `${processor} ms`,
    megabytes(Math.max(...used.map(({ memory }) => memory))),
  ])
}
report('Encoding a photo', ['image', 'upload', 'processor', 'largest memory'], encoded)

const stores = { without: join(folder, 'without'), with: join(folder, 'with') }
// The first animals have three photos, and as many others one.
const withThree = photos / 4
makeAnimals(stores.without, animals, () => 0)
makeAnimals(stores.with, animals, (place) => (place < withThree ? 3 : place < 2 * withThree ? 1 : 0))

const plan = ['--plan', 'enterprise', '--per-minute', '100000000', '--per-day', '1000000000', '--scope', 'admin']
const keys = {
  without: ((await petstore(stores.without, 'keys', 'create', '--name', 'Bench', ...plan)) as { key: string }).key,
  with: ((await petstore(stores.with, 'keys', 'create', '--name', 'Bench', ...plan)) as { key: string }).key,
}
await compareStores()
await measureBackup()
await probeBesideUploads()
rmSync(folder, { recursive: true })

/** A photo as phones take it, and the images of 50 megapixels that need most memory. */
async function imagesToEncode() {
  const noisy = (width: number, height: number) => {
    // The rows of a bitmap have a multiple of four bytes.
    const bytes = Buffer.alloc(54 + 3 * width * height)
    bytes.write('BM')
    for (const [at, value] of Object.entries({
      2: bytes.length,
      10: 54,
      14: 40,
      18: width,
      22: height,
      26: 1 + (24 << 16),
    })) {
      bytes.writeUInt32LE(value, Number(at))
    }
    for (let at = 54; at < bytes.length; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536))
    return new Bun.Image(bytes, { maxPixels: 60_000_000 })
  }
  // Details of four pixels make a file of the size that cameras make.
  const photo = new Bun.Image(await noisy(1_000, 752).png().bytes()).resize(4_000, 3_008)
  return {
    'JPEG, 12 megapixels': await photo.jpeg({ quality: 90 }).bytes(),
    'JPEG, 50 megapixels': await noisy(8_656, 5_776).jpeg({ quality: 50 }).bytes(),
    'progressive JPEG, 38 megapixels': flatJpeg(7_600, 5_000, { isProgressive: true }),
    'WebP, 50 megapixels': await noisy(8_656, 5_776).webp({ quality: 20 }).bytes(),
    'PNG of 16 bits with alpha, 50 megapixels': blackPng(8_656, 5_776, { colorType: 6, bitDepth: 16 }),
  }
}

/** Encodes an upload as the service does, in a process of its own, whose memory is looked at while it runs. */
async function encode(bytes: Uint8Array) {
  const path = join(folder, 'upload')
  writeFileSync(path, bytes)
  const task = { upload: path, large: `${path}.large`, medium: `${path}.medium`, small: `${path}.small` }
  const child = Bun.spawn([executable, 'task', 'encode-photo'], { stdin: new Blob([JSON.stringify(task)]) })
  let memory = 0
  const look = setInterval(() => {
    const [, peak] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? []
    memory = Math.max(memory, Number(peak ?? 0) * 1_024)
  }, 2)
  const text = await new Response(child.stdout).text()
  clearInterval(look)
  await child.exited
  if (!text.includes('"result"')) throw new Error(`The photo was not encoded: ${text}`)
  return { processorMs: Number(child.resourceUsage()?.cpuTime.total) / 1_000, memory }
}

async function serve(which: keyof typeof stores) {
  const server = await start([executable, 'serve', '--json', '--port', '0', '--backup-at', 'off'], stores[which])
  const { url } = JSON.parse(server.line) as { url: string }
  const headers = { Authorization: `Bearer ${keys[which]}` }
  const get = async (path: string) => {
    const response = await fetch(`${url}/v1${path}`, { headers })
    const text = await response.text()
    if (!response.ok) throw new Error(`GET ${path} failed with ${response.status}: ${text}`)
    return text
  }
  return { ...server, url, headers, get }
}

/** The processor time of a page of 100 that is not cached, with eight requests at a time. */
async function costOfPage({ pid, get }: Awaited<ReturnType<typeof serve>>, path: string, list: string, after: number) {
  const before = processorTimes(pid)
  let requested = 0
  const client = async () => {
    while (requested < pages) {
      const cursor = Buffer.from(`${list}:${after + requested++ * 9}`).toString('base64url')
      await get(`${path}?limit=100&cursor=${cursor}`)
    }
  }
  await Promise.all(Array.from({ length: 8 }, client))
  return spentSince(pid, before, pages)
}

async function compareStores(): Promise<void> {
  const newFigures = () => ({
    start: [] as number[],
    memory: 0,
    pets: [] as ProcessorTimes[],
    three: [] as ProcessorTimes[],
    one: [] as ProcessorTimes[],
  })
  const figures = { without: newFigures(), with: newFigures() }
  const both = ['without', 'with'] as const
  for (let run = 0; run <= starts; run++) {
    for (const which of both) {
      const startedMs = performance.now()
      const server = await serve(which)
      await server.get('/pets')
      // The first start reads the executable from the disk.
      if (run > 0) figures[which].start.push(performance.now() - startedMs)
      await server.stop()
    }
  }
  const servers = { without: await serve('without'), with: await serve('with') }
  await Bun.sleep(3_000)
  for (const which of both) figures[which].memory = residentMiB(servers[which].pid)
  for (let round = 0; round <= rounds; round++) {
    for (const which of both) {
      const measured = {
        pets: await costOfPage(servers[which], '/pets', 'pets', 1 + round),
        three: await costOfPage(servers[which], '/pets/profiles', 'profiles', 1 + round),
        one: await costOfPage(servers[which], '/pets/profiles', 'profiles', 1 + round + withThree),
      }
      // The first round warms up.
      if (round === 0) continue
      for (const name of ['pets', 'three', 'one'] as const) figures[which][name].push(measured[name])
    }
  }
  for (const which of both) await servers[which].stop()
  const row = (name: string, text: (one: ReturnType<typeof newFigures>) => string) => [
    name,
    text(figures.without),
    text(figures.with),
  ]
  const page = 'processor for a page of 100 that is not cached (with the threads that compile and collect):'
  const cost = (times: readonly ProcessorTimes[]) =>
    `${medianWithRange(
      times.map(({ mainMs }) => mainMs),
      2,
    )} ms, ${medianWithRange(
      times.map(({ allMs }) => allMs),
      2,
    )} ms`
  report(
    `A store with photos, ${wholeNumber(animals)} animals`,
    ['', 'without photos', `${wholeNumber(photos)} photos`],
    [
      row('from exec to the first 200', ({ start }) => `${medianWithRange(start, 0)} ms`),
      row('idle memory', ({ memory }) => `${memory.toFixed(0)} MiB`),
      row(`${page} animals`, ({ pets }) => cost(pets)),
      row(`${page} profiles, each with one photo`, ({ one }) => cost(one)),
      row(`${page} profiles, each with three photos`, ({ three }) => cost(three)),
    ],
  )
}

async function upload({ url, headers }: Awaited<ReturnType<typeof serve>>, petId: number): Promise<void> {
  const body = new Blob([new Uint8Array(sent['JPEG, 12 megapixels'])])
  const response = await fetch(`${url}/v1/pets/${petId}/photos`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'image/jpeg' },
    body,
  })
  if (response.status !== 201) throw new Error(`The upload failed with ${response.status}: ${await response.text()}`)
}

/** What a backup of the schedule writes after one new photo. */
async function measureBackup(): Promise<void> {
  const data = join(stores.with, 'data')
  let day = 0
  const backUp = async () => {
    const keep = { days: 999, weeks: 0, months: 0 }
    const nowMs = Date.now() + ++day * 86_400_000
    const task = { databasePath: join(data, 'production.db'), environment: 'production', keep, nowMs }
    const child = Bun.spawn([executable, 'task', 'scheduled-backup'], { stdin: new Blob([JSON.stringify(task)]) })
    const { result } = JSON.parse(await new Response(child.stdout).text()) as { result: { file: string } }
    await child.exited
    return { bytes: lstatSync(result.file).size, processor: Number(child.resourceUsage()?.cpuTime.total) / 1_000 }
  }
  const contents = () => readdirSync(join(data, 'backups/contents'), { recursive: true }).length
  await backUp()
  const server = await serve('with')
  await upload(server, animals)
  const before = contents()
  const { bytes, processor } = await backUp()
  const written = contents() - before
  await server.stop()
  report(
    `A backup after one new photo, ${wholeNumber(photos)} photos`,
    ['what', 'value'],
    [
      ['size of its file', megabytes(bytes)],
      ['new contents beside it', String(written)],
      ['processor', `${wholeNumber(processor)} ms`],
    ],
  )
}

async function probeBesideUploads(): Promise<void> {
  const server = await serve('without')
  const target = { ...server, key: keys.without, path: '/v1/pets' }
  const alone: P99[] = []
  const beside: P99[] = []
  let added = 0
  const uploadPhotos = async () => {
    for (const end = performance.now() + seconds * 1_000; performance.now() < end; added++)
      await upload(server, 1 + added)
  }
  for (let round = 0; round < rounds; round++) {
    alone.push(await probe(target, () => Bun.sleep(seconds * 1_000)))
    beside.push(await probe(target, uploadPhotos))
  }
  await server.stop()
  const row = (name: string, column: keyof P99) => {
    const [without, withUploads] = [alone.map((one) => one[column]), beside.map((one) => one[column])]
    const more = median(withUploads) - median(without)
    return [name, `${medianWithRange(without, 1)} ms`, `${medianWithRange(withUploads, 1)} ms`, `${more.toFixed(1)} ms`]
  }
  report(
    `Response time of GET /v1/pets beside uploads of photos (${wholeNumber((added / (rounds * seconds)) * 60)} of 12 megapixels a minute)`,
    ['', 'alone', 'beside uploads', 'added'],
    [row('p99', 'wallMs'), row('p99 on a processor', 'ownMs')],
  )
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}
