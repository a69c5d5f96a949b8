import { describe, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { goTo } from '../../../testing/dashboard/open.ts'
import {
  browserTest,
  dashboardForTests,
  expectAccessible,
  expectNoSidewaysScrolling,
} from '../../../testing/dashboard/store.ts'

const hosting = ['--platform-domain', 'stores.example', '--public-host', '127.0.0.1', '--http-port', '0']
// No server responds to queries there: every check ends with "could not ask".
const dns = ['--dns-resolver', '127.0.0.1:9', '--allow-private-addresses', '--public-address', '127.0.0.1']
const store = dashboardForTests({
  args: [...hosting, ...dns, '--https-port', 'off', '--trusted-proxy', '127.0.0.1/32'],
})

async function project(name: string): Promise<number> {
  const { id } = await store.send<{ id: number }>('POST', '/projects', { name, accountId: 1 })
  return id
}

const namesOf = async (id: number) =>
  (await store.send<{ hostname: string }[]>('GET', `/projects/${id}/domains`)).map(({ hostname }) => hostname)

/** Publishes a website on the page of its project, and goes on to its domains. */
async function publish(page: Page): Promise<void> {
  await page
    .getByLabel('Archive or files of the website')
    .setInputFiles({ name: 'index.html', mimeType: 'text/html', buffer: Buffer.from('<h1>Hello</h1>') })
  await page.getByText('1 file published.').waitFor()
  await page.getByRole('link', { name: 'Domains' }).click()
}

describe('a domain', () => {
  browserTest(
    'needs a published website first, is added from a pasted address, with its records to copy, and removed',
    async () => {
      const id = await project('Storefront')
      await store.withPage(`/projects/${id}/domains`, async (page, watched) => {
        await page.getByText('Publish the website first').waitFor()
        await expectAccessible(page)
        await goTo(page, `/projects/${id}`)
        await publish(page)
        await page.getByRole('button', { name: 'Add domain' }).click()
        const dialog = page.getByRole('dialog', { name: 'Add domain' })
        await dialog.getByLabel('Domain').fill('nothing')
        await dialog.getByRole('button', { name: 'Add domain' }).click()
        await dialog.getByText('Enter a domain that you own').waitFor()
        await expectAccessible(page)
        await dialog.getByLabel('Domain', { exact: true }).fill('my shop.example')
        expect(await dialog.getByRole('checkbox').count()).toBe(0)
        await dialog.getByLabel('Domain', { exact: true }).fill('sub.stores.example')
        await dialog.getByRole('button', { name: 'Add domain' }).click()
        await dialog.getByText(/^sub\.stores\.example belongs to this service/).waitFor()
        expect(watched.removeExpected(/400/)).toBe(1)
        await dialog.getByLabel('Domain', { exact: true }).fill('www.example.com')
        expect(await dialog.getByRole('checkbox', { name: 'Add example.com too' }).isChecked()).toBe(false)
        await dialog.getByLabel('Domain').fill('https://shop.example.com/welcome')
        await dialog.getByRole('button', { name: 'Add domain' }).click()
        await page.getByRole('region', { name: 'shop.example.com' }).waitFor()
        const records = page.getByRole('region', { name: 'Records' })
        await records.getByText('CNAME').waitFor()
        await records
          .getByRole('button', { name: /^Copy name/ })
          .first()
          .waitFor()
        expect(await records.getByRole('link', { name: 'Send to my web person' }).getAttribute('href')).toContain(
          'CNAME',
        )
        await expectAccessible(page)
        await page.setViewportSize({ width: 320, height: 700 })
        await expectNoSidewaysScrolling(page)
        await page.setViewportSize({ width: 1280, height: 720 })

        // It is removed only after a question that says that its traffic stops.
        await page.getByRole('button', { name: 'Remove domain' }).click()
        const question = page.getByRole('dialog')
        await question.getByText('no longer reach your website').waitFor()
        await expectAccessible(page)
        await question.getByRole('button', { name: 'Remove domain' }).click()
        await page.getByText('No domain yet').waitFor()
        expect(await namesOf(id)).toEqual([])

        // Together with its www if that is ticked.
        await store.send('POST', `/projects/${id}/domains`, { hostname: 'pair.example', withWww: true })
        await page.getByRole('button', { name: 'More for pair.example', exact: true }).click()
        await page.getByRole('menuitem', { name: 'Remove domain' }).click()
        const both = question.getByRole('checkbox', { name: 'Remove www.pair.example too' })
        expect(await both.isChecked()).toBe(false)
        await both.check()
        await question.getByRole('button', { name: 'Keep domain' }).click()
        expect(await namesOf(id)).toEqual(['pair.example', 'www.pair.example'])
        await page.getByRole('button', { name: 'More for pair.example', exact: true }).click()
        await page.getByRole('menuitem', { name: 'Remove domain' }).click()
        await both.check()
        await question.getByRole('button', { name: 'Remove domain' }).click()
        await page.getByText('pair.example and www.pair.example are removed.').waitFor()
        await page.getByText('No domain yet').waitFor()
        expect(await namesOf(id)).toEqual([])
      })
    },
  )

  browserTest('with letters of another alphabet is shown in both spellings, and the longest fits 320 px', async () => {
    const id = await project('Look-alike')
    await store.withPage(`/projects/${id}`, async (page, watched) => {
      await publish(page)
      await store.send('POST', `/projects/${id}/domains`, { hostname: 'www.аррӏе.example' })
      await page.getByRole('cell', { name: /^www\.аррӏе\.example\s*www\.xn--80ak6aa92e\.example/ }).waitFor()
      await page.getByRole('link', { name: 'www.аррӏе.example' }).click()
      await page.getByText('In records and certificates: www.xn--80ak6aa92e.example').waitFor()
      const longest = `www.${'a'.repeat(63)}.${'b'.repeat(63)}.example`
      await store.send('POST', `/projects/${id}/domains`, { hostname: longest })
      await page.setViewportSize({ width: 320, height: 700 })
      await goTo(page, `/projects/${id}/domains/${longest}`)
      await page.getByRole('region', { name: 'History' }).waitFor()
      await expectNoSidewaysScrolling(page)
      await goTo(page, `/projects/${id}/domains/%25`)
      await page.getByText('This no longer exists').waitFor()
      expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
      await page.getByRole('link', { name: 'Show all domains' }).waitFor()
      expect(watched.removeExpected(/404/)).toBeGreaterThan(0)
    })
  })
})
