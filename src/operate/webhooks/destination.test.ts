import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startDnsServer, type TestServer } from '../../dns/testing/dns-server.ts'
import { emptyFolder } from '../../testing/executable.ts'
import { createResolve } from './destination.ts'

const records: Readonly<Record<string, string>> = {
  'partner.example A': '93.184.216.34',
  'partner.example AAAA': '2606:4700::1',
  'four.example A': '9.9.9.9',
  'till.shop A': '9.9.9.9',
}

const folder = emptyFolder()
const hostsFile = join(folder.path, 'hosts')
let server: TestServer

beforeAll(async () => {
  await Bun.write(hostsFile, '127.0.0.1 localhost\n192.168.1.20\tTill.shop  till # till.example\n::1 localhost\n')
  server = await startDnsServer('127.0.0.1', ({ name, type }) => {
    if (name === 'silent.example') return 'silence'
    const data = records[`${name} ${type}`]
    if (data === undefined) return { rcode: 3 }
    return { answers: [{ name, type: type as 'A', ttl: 60, data }] }
  })
})
afterAll(() => {
  server.close()
  folder.remove()
})

const resolver = () => createResolve({ hostsFile, servers: [`127.0.0.1:${server.port}`] })

test('a name has the addresses of the hosts file, or else all those of the DNS', async () => {
  const resolve = resolver()
  expect(await resolve('localhost')).toEqual(['127.0.0.1', '::1'])
  expect(await resolve('till.shop')).toEqual(['192.168.1.20'])
  expect(await resolve('till.example')).toEqual([])
  expect(await resolve('partner.example.')).toEqual(['93.184.216.34', '2606:4700::1'])
  expect(await resolve('four.example')).toEqual(['9.9.9.9'])
})

test('nothing else waits for names whose servers do not respond', async () => {
  const resolve = resolver()
  let ended = 0
  for (let i = 0; i < 8; i++) void resolve('silent.example').finally(() => ended++)
  while (server.queries.filter(({ name }) => name === 'silent.example').length < 8) await readFile(hostsFile)
  expect(ended).toBe(0)
})
