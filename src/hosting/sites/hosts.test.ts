import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Site } from '../../server/handle.ts'
import { createSiteListener, testLog } from '../../testing/site-listener.ts'
import { createStoredFiles, findIn } from '../../testing/stored-files.ts'
import { createPublicSites } from '../public-sites.ts'
import { createContents } from './contents.ts'
import { createHostTable } from './hosts.ts'
import { createSite } from './site.ts'

const files = createStoredFiles()
const contents = createContents(files)
const siteWith = (title: string) => createSite(findIn([files.add('index.html', title)]), { contents, log: testLog([]) })

const slugs = new Map<string, Site>()
const domains = new Map<string, Site>()
const find = createHostTable({
  platformDomain: 'shop.example',
  sitesDomain: 'sites.example',
  platform: () => new Response('the API'),
  siteOfSlug: (slug) => hostWith(slugs.get(slug)),
  siteOfDomain: (hostname) => hostWith(domains.get(hostname)),
})
const hostWith = (site: Site | undefined) => (site === undefined ? undefined : { site })
const sites = createPublicSites({
  find,
  hasHttps: () => false,
  httpsPort: () => 443,
  challengeResponse: () => undefined,
  probeText: 'probe',
  isTrusted: () => false,
})
const server = createSiteListener((name) =>
  name === undefined ? sites.plain(name) : (sites.secure(name) ?? sites.plain(name)),
)
afterAll(async () => {
  await server.stop()
  files.remove()
})

beforeEach(() => {
  slugs.clear()
  domains.clear()
  slugs.set('ada', siteWith('Ada’s shop')).set('ben', siteWith('Ben’s shop'))
  domains.set('www.ada.example', siteWith('Ada’s shop'))
})

/** Status and body of the response to a request with these Host headers. */
async function get(...hosts: readonly string[]) {
  const { status, body } = await server.sendLines('GET / HTTP/1.1', ...hosts.map((host) => `Host: ${host}`))
  return [status, status === 200 ? Buffer.from(body, 'latin1').toString() : /<h1>(.*)<\/h1>/.exec(body)?.[1]]
}

describe('a request reaches', () => {
  test('the site of its host, in any case of letters, with a port and a final dot or without', async () => {
    for (const host of ['ada.sites.example', 'ADA.Sites.EXAMPLE', 'ada.sites.example:8080', 'ada.sites.example.:80']) {
      expect([host, ...(await get(host))]).toEqual([host, 200, 'Ada’s shop'])
    }
    expect(await get('ben.sites.example')).toEqual([200, 'Ben’s shop'])
    expect(await get('www.ADA.example.')).toEqual([200, 'Ada’s shop'])
  })

  test('the API under its own name alone', async () => {
    expect(await get('api.shop.example')).toEqual([200, 'the API'])
    expect(await get('API.shop.example.:443')).toEqual([200, 'the API'])
    slugs.set('api', siteWith('not the API'))
    domains.set('api.shop.example', siteWith('not the API'))
    expect(await get('api.shop.example')).toEqual([200, 'the API'])
  })

  test('nothing under any other name: 421', async () => {
    // Neither a slug nor a domain of a project can stand for a name of the platform.
    const stranger = siteWith('a stranger')
    const below = ['ada.shop.example', 'x.edge.shop.example', 'shop.example', 'sites.example', 'x.ada.sites.example']
    for (const name of [...below, 'x.ada']) {
      domains.set(name, stranger)
      slugs.set(name, stranger)
    }
    slugs.set('', stranger)
    const unknown = [
      ...below,
      'carl.sites.example',
      'adasites.example',
      'ada',
      'localhost',
      '127.0.0.1',
      '[::1]:80',
      'ada.example',
      'ada.sites.example..',
    ]
    for (const host of unknown) expect([host, ...(await get(host))]).toEqual([host, 421, 'No site here'])
  })

  test('nothing with a Host that is missing, given twice or malformed: 400', async () => {
    const unusable = [[], ['ada.sites.example', 'ada.sites.example'], ['ada.sites.example', 'ben.sites.example'], ['']]
    const malformed = [
      'ada.sites.example/',
      '[::1',
      'ada.sites.example:99999',
      'u@ada.sites.example',
      'a b',
      '.sites.example',
    ]
    for (const hosts of [...unusable, ...malformed.map((host) => [host])]) {
      const [status] = await get(...hosts)
      expect([hosts, status]).toEqual([hosts, 400])
    }
  })
})

test('the platform’s domain may hold the slugs too, and the API keeps its name', () => {
  const [platform, ada]: Site[] = [() => new Response('the API'), () => new Response('Ada')]
  if (!platform || !ada) throw new Error('unreachable')
  const one = createHostTable({
    platformDomain: 'shop.example',
    sitesDomain: 'shop.example',
    platform,
    siteOfSlug: (slug) => (slug === 'ada' || slug === 'api' ? { site: ada } : undefined),
    siteOfDomain: () => ({ site: ada }),
  })
  expect(one('api.shop.example')).toEqual({ platform })
  expect([one('ada.shop.example'), one('ada.example')]).toEqual([{ site: ada }, { site: ada }])
  const rejected = ['shop.example', 'ben.shop.example', 'ada.edge.shop.example', 'edge.shop.example']
  for (const host of rejected) expect([host, one(host)]).toEqual([host, undefined])
})

test('a change of the table counts at the next request of an open connection', async () => {
  const host = 'Host: ada.sites.example'
  const send = () => fetch(server.url, { headers: { host: 'ada.sites.example' } }).then((one) => one.text())
  expect(await send()).toBe('Ada’s shop')
  slugs.set('ada', siteWith('Ada’s new shop'))
  expect(await send()).toBe('Ada’s new shop')
  slugs.delete('ada')
  expect(await send()).toContain('No site here')
  expect((await server.sendLines('GET / HTTP/1.1', host)).status).toBe(421)
})
