/**
 * An owner's path from an empty store to a web shop with a domain, by clicks and typing alone, with a real certificate
 * authority and real DNS servers. It prints the clicks.
 */

import { expect, test } from 'bun:test'
import { chromium, type Locator } from 'playwright-core'
import { imageBytes } from '../../../shop/photos/testing/images.ts'
import { browserPath, hasBrowser, watchPage } from '../../../testing/browser.ts'
import { owner } from '../../../testing/dashboard/open.ts'
import { canRunPeers, openHostingWorld } from '../../../testing/hosting/world.ts'

const domain = 'kiosk.example'
const animals = [
  'Number;Name;Category;Status;Breed;Sex;Date of birth;Price;Description',
  'A-1;Bella;Dog;available;Labrador;female;14.03.2024;450,00;Likes children.',
  'A-2;Luna;Cat;available;British Shorthair;female;2025;300;',
  'A-3;Max;Dog;sold;Beagle;male;01.02.2023;400;',
].join('\r\n')

test.skipIf(!hasBrowser || !canRunPeers)(
  'an owner gets from an empty store to a web shop with a domain by clicks',
  async () => {
    const world = await openHostingWorld('peers')
    const browser = await chromium.launch({
      executablePath: browserPath ?? '',
      args: ['--no-sandbox', `--host-resolver-rules=MAP *.example ${world.address}`],
    })
    try {
      // The root of this authority is in no browser; `world.served` checks it.
      const context = await browser.newContext({ locale: 'en-GB', ignoreHTTPSErrors: true, reducedMotion: 'reduce' })
      const page = await context.newPage()
      const watched = await watchPage(page, new URL(world.server.ready.setupUrl ?? '').origin)
      const clicks: string[] = []
      async function click(target: Locator): Promise<void> {
        clicks.push((await target.getAttribute('aria-label')) ?? (await target.textContent()) ?? '')
        await target.click()
      }
      const button = (name: string) => page.getByRole('button', { name, exact: true })
      const link = (name: string) => page.getByRole('link', { name, exact: true }).first()
      async function chooseFiles(target: Locator, ...files: { name: string; mimeType: string; buffer: Buffer }[]) {
        const chooser = page.waitForEvent('filechooser')
        await click(target)
        clicks.push(`in the dialog of the browser: ${files.map(({ name }) => name)}`)
        await (await chooser).setFiles(files)
      }

      const setupUrl = world.server.ready.setupUrl ?? ''
      await world.served(new URL(setupUrl).hostname)
      await page.goto(setupUrl)
      await page.getByLabel('E-mail').fill(owner.email)
      await page.getByRole('textbox', { name: 'Password' }).fill(owner.password)
      await click(button('Set up store'))

      await click(link('Import your animals'))
      await chooseFiles(button('Choose file'), { name: 'list.csv', mimeType: 'text/csv', buffer: Buffer.from(animals) })
      await page.getByLabel('Currency of the prices').waitFor()
      await click(button('Check file'))
      await click(button('Import 3 animals'))
      await page.getByRole('heading', { name: '3 animals imported.' }).waitFor()
      await click(link('Animals'))
      const buffer = await imageBytes('jpeg', 1_200, 900)
      const photos = ['A-1.jpg', 'A-1-2.jpg', 'A-2.jpg'].map((name) => ({ name, mimeType: 'image/jpeg', buffer }))
      await chooseFiles(button('Add photos'), ...photos)
      await click(button('Add 3 photos'))
      await page.getByText('3 photos added.').waitFor()

      await click(link('Web shop'))
      await page.getByLabel('Name', { exact: true }).fill('Kiosk')
      await page.getByLabel('Phone').fill('030 123456')
      await page.frameLocator('iframe').getByText('Bella').waitFor()
      await click(button('Create web shop'))
      await page.getByText('It shows 2 animals').waitFor()

      await click(link('Use your own domain'))
      await click(button('Add domain'))
      const dialog = page.getByRole('dialog', { name: 'Add domain' })
      await dialog.getByLabel('Domain', { exact: true }).fill(domain)
      await click(dialog.getByRole('button', { name: 'Add domain' }))
      await page.getByRole('region', { name: 'Records' }).getByText('ALIAS', { exact: true }).waitFor()

      // At the provider of the domain, the owner adds what the page says.
      const [project] = (await world.call('GET', '/v1/projects')).json
      const records = (await world.domain(project.id, domain)).records as {
        type: string
        name: string
        value: string
      }[]
      const lines = records.flatMap(({ type, name, value }) =>
        type === 'ALIAS' ? `${name} 1 ALIAS ${value}.` : type === 'TXT' ? `${name} 1 TXT "${value}"` : [],
      )
      await world.names.change(domain, [...lines, `www 1 CNAME ${project.cnameTarget}.`])
      await click(button('Verify'))
      await page.getByRole('link', { name: 'Open website' }).waitFor()
      await world.served(domain)

      const opened = context.waitForEvent('page')
      await click(page.getByRole('link', { name: 'Open website' }))
      const shop = await opened
      await shop.getByRole('heading', { level: 1, name: 'Kiosk' }).waitFor()
      expect(shop.url()).toBe(`https://${domain}/`)
      expect((await (await shop.reload())?.securityDetails())?.issuer).toContain('Pebble')
      await shop.getByRole('link', { name: /Bella/ }).click()
      expect(shop.url()).toBe(`https://${domain}/animals/1/bella`)
      await link('Web shop').click()
      await page.getByRole('link', { name: new RegExp(`^${domain} `) }).waitFor()
      // Nobody was signed in, and there was no web shop.
      watched.removeExpected(/40[14]/)
      expect(watched.complaints).toEqual([])
      console.log(`${clicks.length} clicks:\n${clicks.join('\n')}`)
    } finally {
      await browser.close()
      await world.stop()
    }
  },
)
