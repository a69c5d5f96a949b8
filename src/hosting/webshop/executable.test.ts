import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { imageBytes } from '../../shop/photos/testing/images.ts'
import { axeFindings, colourRules, hasBrowser, withPage } from '../../testing/browser.ts'
import { createWorkspace, isBuilt, type PetstoreProcess } from '../../testing/executable.ts'
import { freePort } from '../../testing/peers/peer.ts'

const timeoutMs = 60_000
const local = ['--platform-domain', 'shop.localhost']

describe.skipIf(!isBuilt)('the web shop of the executable, below .localhost,', () => {
  const workspace = createWorkspace()
  let server: PetstoreProcess
  let url = ''
  let port = 0

  const call = async (method: string, path: string, body: object | Blob) => {
    const headers = { Authorization: `Bearer ${server.ready.key}` }
    const init = body instanceof Blob ? { body } : { body: JSON.stringify(body) }
    const type = body instanceof Blob ? 'image/jpeg' : 'application/json'
    const response = await fetch(`${server.ready.url}/v1${path}`, {
      method,
      headers: { ...headers, 'Content-Type': type },
      ...init,
    })
    return await response.json()
  }
  const fetchSite = (path: string, host = `paws.shop.localhost:${port}`) =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers: { host }, redirect: 'manual' })

  beforeAll(async () => {
    port = await freePort('127.0.0.1')
    server = await workspace.serve([...local, '--http-port', String(port)])
    await call('PATCH', '/store/settings', { currency: 'EUR' })
    const photo = new Blob([new Uint8Array(await imageBytes('jpeg', 1_200, 900))])
    for (const [i, name] of ['Ada', 'Bella', 'Carlo'].entries()) {
      await call('POST', '/pets', { name, categoryId: 1 + (i % 2) })
      const profile = { breed: 'Tabby', sex: 'female', birthDate: '2024-03', price: 49_900, number: `A-${i}` }
      const attributes = [{ label: 'Vaccinated', text: 'Rabies, May 2026' }]
      await call('PATCH', `/pets/${i + 1}/profile`, {
        ...profile,
        attributes,
        description: '# Character\n\nVery *calm*.',
      })
      if (i > 0) await call('POST', `/pets/${i + 1}/photos`, photo)
    }
    await call('POST', '/pets/2/photos', photo)
    await call('PATCH', '/pets/3', { status: 'pending' })
    const website = await call('PUT', '/store/website', {
      ...{ kind: 'shop', name: 'Paws', language: 'en', tagline: 'Small & friendly', about: '# Us', imprint: 'Paws' },
      ...{
        phone: '+49 30 123456',
        email: 'a@paws.example',
        address: 'Main Street 1',
        hours: 'Mon 9 to 5',
        color: '#ffee00',
      },
    })
    url = (website as { url: string }).url
    await call('POST', '/store/website/picture', photo)
  }, timeoutMs)
  afterAll(() => workspace.close())

  test('is served over HTTP, at an address with the port, on loopback alone', async () => {
    expect(url).toBe(`http://paws.shop.localhost:${port}`)
    const home = await fetchSite('/')
    expect([home.status, home.headers.get('strict-transport-security')]).toEqual([200, null])
    const html = await home.text()
    expect(html).toContain(`<link rel="canonical" href="${url}/"/>`)
    expect(html.length).toBeLessThan(20_000)
    const statusOf = async (path: string, host: string) => (await fetchSite(path, host)).status
    expect(await statusOf('/v1/pets', `api.shop.localhost:${port}`)).toBe(401)
    expect(await statusOf('/', 'other.shop.localhost')).toBe(421)
    expect(await statusOf('/', 'shop.localhost')).toBe(421)
    expect((await fetch(`${server.ready.url}/shop/style.css?color=ffee00`)).headers.get('content-type')).toContain(
      'css',
    )
    expect(await call('POST', '/projects/1/domains', { hostname: 'paws.example.com' })).toMatchObject({
      code: 'conflict',
    })
  })

  test('rejects options that would have no effect', async () => {
    for (const option of [
      '--public-host 0.0.0.0',
      '--https-port 8443',
      '--http-port 0',
      '--sites-domain pets.example',
    ]) {
      const { code, err } = await workspace.run('serve', '--data', 'other', ...local, ...option.split(' '))
      expect([option, code, err.includes(option.split(' ')[0] ?? '')]).toEqual([option, 2, true])
    }
  })

  test.skipIf(!hasBrowser)(
    'has no finding of axe-core, on a phone and a wide screen, in both languages and schemes, and works by links and forms alone',
    async () => {
      await withPage(url, async (watched) => {
        const { page } = watched
        for (const [kind, language, width, ...paths] of [
          ['shelter', 'de', 320, '/', '/animals', '/animals/2/bella', '/privacy'],
          ['shop', 'en', 1_920, '/', '/animals', '/animals/1/ada', '/about'],
        ] as const) {
          await call('PUT', '/store/website', { name: 'Paws', kind, language })
          await page.setViewportSize({ width, height: 700 })
          for (const path of paths) {
            await page.goto(url + path)
            expect([path, await axeFindings(page)]).toEqual([path, []])
            await page.emulateMedia({ colorScheme: 'dark' })
            expect([path, await axeFindings(page, ':root', colourRules)]).toEqual([path, []])
            await page.emulateMedia({ colorScheme: 'light' })
            expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
          }
        }
        await page.setViewportSize({ width: 1280, height: 800 })
        await page.goto(url)
        await page.getByRole('link', { name: 'See all animals' }).first().click()
        await page.getByLabel('Sort by').selectOption('price')
        await page.getByRole('button', { name: 'Show' }).click()
        expect(page.url()).toBe(`${url}/animals?sex=&sort=price`)
        await page.getByRole('link', { name: /Carlo/ }).click()
        expect(await page.getByText('Reserved').count()).toBe(1)
        expect(watched.complaints).toEqual([])
      })
    },
    timeoutMs,
  )
})
