import { afterAll, describe, expect } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { goTo } from '../../../testing/dashboard/open.ts'
import {
  browserTest,
  dashboardForTests,
  expectAccessible,
  expectNoSidewaysScrolling,
} from '../../../testing/dashboard/store.ts'
import { emptyFolder } from '../../../testing/executable.ts'

interface Project {
  readonly id: number
  readonly accountId: number
  readonly slug: string
}

const folder = emptyFolder()
const hosting = ['--platform-domain', 'stores.example', '--public-host', '127.0.0.1', '--http-port', '0']
const store = dashboardForTests({ args: [...hosting, '--https-port', 'off', '--trusted-proxy', '127.0.0.1/32'] })
afterAll(() => folder.remove())

function website(name: string, files: Readonly<Record<string, string>>): string {
  const path = join(folder.path, name)
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(join(path, file, '..'), { recursive: true })
    writeFileSync(join(path, file), text)
  }
  return path
}

describe('a project', () => {
  browserTest('is made, published by its folder, and rolled back', async () => {
    await store.withPage('/projects', async (page) => {
      await page.getByText('Your first website').waitFor()
      await page.getByRole('link', { name: 'New project' }).first().click()
      const dialog = page.getByRole('dialog', { name: 'New project' })
      await dialog.getByRole('button', { name: 'Create project' }).click()
      await dialog.getByText('Enter a name').waitFor()
      await expectAccessible(page)
      await dialog.getByLabel('Name').fill('https://www.kiosk.example/')
      await dialog.getByRole('button', { name: 'Create project' }).click()
      await dialog.getByText('Enter a name, such as Kiosk.').waitFor()
      await dialog.getByRole('button', { name: 'Use the name “Kiosk”' }).click()
      await dialog.getByText('kiosk.stores.example', { exact: true }).waitFor()
      await dialog.getByLabel('Name').fill('Storefront')
      await dialog.getByText('storefront.stores.example', { exact: true }).waitFor()
      await dialog.getByRole('button', { name: 'Create project' }).click()
      await page.getByRole('heading', { level: 1, name: 'Storefront' }).waitFor()
      expect(await store.send<Project>('GET', '/projects/1')).toMatchObject({ slug: 'storefront', accountId: 1 })
      await page.getByText('The website will be at storefront.stores.example once you publish it.').waitFor()
      expect(await page.locator('a[href*="storefront.stores.example"]').count()).toBe(0)
      await expectAccessible(page)

      const chooser = page.locator('input[webkitdirectory]')
      await chooser.setInputFiles(website('empty', { 'readme.txt': 'no page' }))
      await page.getByText('Choose the folder that has index.html in it.').waitFor()
      await chooser.setInputFiles(website('parent', { 'notes.txt': 'mine', 'site/index.html': 'inside' }))
      await page.getByText('The website is in the folder “site” inside.').waitFor()
      await chooser.setInputFiles(website('one', { 'index.html': 'one', 'a/b.css': 'p{}', '.git/config': 'hidden' }))
      await page.getByText('2 files published. Storefront is live.').waitFor()
      await page.getByRole('link', { name: /^storefront\.stores\.example/ }).waitFor()
      await chooser.setInputFiles(website('two', { 'index.html': 'two' }))
      await page.getByRole('row', { name: /Deploy 2\b.*Live/ }).waitFor()
      const live = (number: number) =>
        page.getByRole('row', { name: new RegExp(`Deploy ${number}\\b.*Live`) }).waitFor()
      const undo = async (text: string) => {
        const notice = page.getByRole('status').filter({ hasText: text })
        await notice.getByRole('button', { name: 'Undo' }).click()
      }
      await undo('1 file published.')
      await live(1)
      await page.getByRole('button', { name: 'Make live: deploy 2' }).click()
      await live(2)
      await undo('Deploy 2 is live again.')
      await live(1)
      await page.getByRole('button', { name: 'Make live: deploy 2' }).click()
      await live(2)
      await page.getByRole('button', { name: 'Roll back to deploy 1' }).click()
      await live(1)
      await expectAccessible(page)
    })
  })

  browserTest(
    'is published by an archive, whose fault is explained, and by what was chosen first, not what is dropped meanwhile',
    async () => {
      const { id } = await store.send<Project>('POST', '/projects', { name: 'Archived' })
      const busy = await store.send<Project>('POST', '/projects', { name: 'Busy' })
      await store.withPage(`/projects/${id}`, async (page, watched) => {
        const chooser = page.getByLabel('Archive or files of the website')
        await chooser.setInputFiles({ name: 'site.zip', mimeType: 'application/zip', buffer: Buffer.from('not a zip') })
        await page.getByText('That did not work').waitFor()
        await expectAccessible(page)
        expect(watched.removeExpected(/400/)).toBe(1)
        const path = website('packed', { 'index.html': 'packed' })
        Bun.spawnSync(['tar', 'czf', 'site.tar.gz', '-C', path, '.'], { cwd: folder.path })
        await chooser.setInputFiles(join(folder.path, 'site.tar.gz'))
        await page.getByText('1 file published.').waitFor()
        Bun.spawnSync(['tar', 'czf', 'bare.tar.gz', '-C', website('bare', { 'about.html': 'a' }), '.'], {
          cwd: folder.path,
        })
        await chooser.setInputFiles(join(folder.path, 'bare.tar.gz'))
        await page.getByText('so its home page is missing').waitFor()

        // What is dropped while something is published is not published.
        await goTo(page, `/projects/${busy.id}`)
        await page.getByRole('heading', { level: 1, name: 'Busy' }).waitFor()
        const released = Promise.withResolvers<void>()
        await page.route('**/deploys', async (route) => {
          if (route.request().method() === 'POST') await released.promise
          await route.continue()
        })
        await page.locator('input[webkitdirectory]').setInputFiles(website('first', { 'index.html': 'first' }))
        const dropped = await page.evaluateHandle(() => {
          const transfer = new DataTransfer()
          transfer.items.add(new File(['second'], 'index.html'))
          return transfer
        })
        await page.getByRole('button', { name: 'Cancel upload' }).waitFor()
        await page.locator('.drop').dispatchEvent('drop', { dataTransfer: dropped })
        await page.getByText('Drop the next files when this is done').waitFor()
        await expectAccessible(page)
        released.resolve()
        await page.getByText('1 file published. Busy is live.').waitFor()
        await page.getByText('Drop the next files').waitFor({ state: 'detached' })
        expect(await store.send('GET', `/projects/${busy.id}/deploys`)).toHaveLength(1)
      })
    },
  )

  browserTest('is published by a chosen file on a phone, where nothing is dropped', async () => {
    const { id } = await store.send<Project>('POST', '/projects', { name: 'Phone' })
    const phone = { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true }
    await store.withPage(
      `/projects/${id}`,
      async (page) => {
        await page.getByText('Choose the .zip file with your website').waitFor()
        expect(await page.getByText('Drop the folder').isVisible()).toBe(false)
        await expectAccessible(page)
      },
      phone,
    )
  })

  browserTest('is renamed, and deleted after a question or elsewhere; the list fits 320 px', async () => {
    const { id } = await store.send<Project>('POST', '/projects', { name: 'Old name' })
    await store.withPage(
      `/projects/${id}/settings`,
      async (page, watched) => {
        await page.getByLabel('Name of the project').fill('New name')
        await page.getByRole('button', { name: 'Save name' }).click()
        await page.getByRole('heading', { level: 1, name: 'New name' }).waitFor()
        await page.getByRole('button', { name: 'Delete project' }).click()
        await expectAccessible(page)
        await page.getByRole('dialog').getByRole('button', { name: 'Delete project' }).click()
        await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor()
        await page.getByRole('link', { name: 'New name' }).waitFor({ state: 'detached' })
        await expectNoSidewaysScrolling(page)

        // One that somebody deletes elsewhere is not shown any longer.
        const other = await store.send<Project>('POST', '/projects', { name: 'Short-lived' })
        await goTo(page, `/projects/${other.id}/settings`)
        await page.getByLabel('Name of the project').waitFor()
        await store.send('DELETE', `/projects/${other.id}`)
        await page.getByText('This no longer exists').waitFor()
        expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
        await page.getByRole('link', { name: 'Show all projects' }).waitFor()
        expect(await page.getByRole('button', { name: 'Delete project' }).isVisible()).toBe(false)
        await expectAccessible(page)
        watched.removeExpected(/404/)
      },
      { viewport: { width: 320, height: 700 } },
    )
  })
})
