/** The messages of publishing: while hosting is off, and for somebody who has left its page. */

import { expect } from 'bun:test'
import { notice } from '../../../testing/dashboard/animals.ts'
import { goTo } from '../../../testing/dashboard/open.ts'
import { browserTest, dashboardForTests, expectAccessible } from '../../../testing/dashboard/store.ts'

const store = dashboardForTests()

const files = [{ name: 'index.html', mimeType: 'text/html', buffer: Buffer.from('Kiosk') }]

const addProject = (name: string) => store.send<{ id: number }>('POST', '/projects', { name })

browserTest(
  'while hosting is off, the pages say how to turn it on, and no published website is said to be live',
  async () => {
    await store.withPage('/projects', async (page) => {
      await page.getByText('Your first website').waitFor()
      await page.getByRole('note').getByText('petstore serve --platform-domain').waitFor()
      await expectAccessible(page)
      await addProject('Kiosk')
      await page.getByRole('link', { name: 'Kiosk', exact: true }).click()
      await page.getByText('Publish the folder of your website above. It goes online once hosting is on.').waitFor()
      const field = page.getByLabel('Archive or files of the website')
      await field.setInputFiles(files)
      await notice(page, '1 file published. Kiosk goes online once hosting is on.').waitFor()
      await page.getByRole('row', { name: /Deploy 1\b.*Offline/ }).waitFor()
      await field.setInputFiles(files)
      await page.getByRole('row', { name: /Deploy 2\b.*Offline/ }).waitFor()
      await page.getByRole('button', { name: 'Roll back to deploy 1' }).click()
      const rolledBack = notice(page, 'Deploy 1 goes online once hosting is on.')
      await rolledBack.waitFor()
      await expectAccessible(page)
      await rolledBack.getByRole('button', { name: 'Undo' }).click()
      await notice(page, 'Deploy 2 goes online once hosting is on.').waitFor()
      expect(await page.getByRole('cell', { name: 'Live', exact: true }).count()).toBe(0)
    })
  },
)

browserTest(
  'publishing whose page was left says that it failed, or shows its progress again, until all is uploaded',
  async () => {
    const { id } = await addProject('Left')
    const returned = await addProject('Returned')
    await store.withPage(`/projects/${id}`, async (page, watched) => {
      const released = Promise.withResolvers<void>()
      await page.route('**/deploys', async (route) => {
        if (route.request().method() !== 'POST') return route.continue()
        await released.promise
        await route.fulfill({ status: 503, json: { code: 'storage_unavailable', message: 'Disk full.' } })
      })
      await page.getByLabel('Archive or files of the website').setInputFiles(files)
      await page.getByRole('button', { name: 'Cancel upload' }).waitFor()
      await page.getByRole('link', { name: 'Settings' }).last().click()
      await page.getByLabel('Name of the project').waitFor()
      released.resolve()
      await notice(page, /^Publishing Left failed.*Disk full\./).waitFor()
      await expectAccessible(page)
      expect(watched.removeExpected(/503/)).toBe(1)
      await page.unrouteAll()

      // Publishing shows its progress again where its page is opened again, and is cancelled there.
      await goTo(page, `/projects/${returned.id}`)
      await page.getByRole('heading', { level: 1, name: 'Returned' }).waitFor()
      await page.route('**/deploys', (route) => (route.request().method() === 'POST' ? undefined : route.continue()))
      await page.getByLabel('Archive or files of the website').setInputFiles(files)
      await page.getByRole('button', { name: 'Cancel upload' }).waitFor()
      await page.getByRole('link', { name: 'Settings' }).last().click()
      await page.getByLabel('Name of the project').waitFor()
      await page.getByRole('link', { name: 'Website', exact: true }).click()
      await page.getByRole('button', { name: 'Cancel upload' }).click()
      await page.getByRole('button', { name: 'Choose folder' }).waitFor()
      expect(await store.send('GET', `/projects/${returned.id}/deploys`)).toEqual([])
      await page.unrouteAll()

      // It cannot be cancelled any longer once everything is uploaded.
      const { pid } = store.process.ready
      // The system receives the upload while the server is stopped.
      process.kill(pid, 'SIGSTOP')
      try {
        await page.getByLabel('Archive or files of the website').setInputFiles(files)
        await page.getByText('Publishing…').waitFor()
        expect(await page.getByRole('button', { name: 'Cancel upload' }).count()).toBe(0)
        await expectAccessible(page)
      } finally {
        process.kill(pid, 'SIGCONT')
      }
      await notice(page, '1 file published.').waitFor()
    })
  },
)
