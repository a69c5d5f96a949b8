/** Setting a bucket up in the dashboard, testing it, and encrypting the copies in it. */

import { afterAll, beforeAll, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { startS3Server, type TestS3Server } from '../../../operate/backups/away/testing/s3-server.ts'
import { hasBrowser } from '../../../testing/browser.ts'
import { type OpenDashboard, openDashboard, owner } from '../../../testing/dashboard/open.ts'
import {
  browserTest,
  browserTimeoutMs,
  expectAccessible,
  expectNoSidewaysScrolling,
} from '../../../testing/dashboard/store.ts'
import { emptyFolder, type PetstoreProcess, startPetstoreProcess } from '../../../testing/executable.ts'

const folder = emptyFolder()
let server: TestS3Server
let store: PetstoreProcess
let dashboard: OpenDashboard
beforeAll(async () => {
  if (!hasBrowser) return
  server = await startS3Server()
  store = await startPetstoreProcess(['--data', folder.path], { cwd: folder.path })
  dashboard = openDashboard(() => store.ready.url, store.ready.setupUrl ?? '')
}, browserTimeoutMs)
afterAll(async () => {
  await store?.stop()
  await server?.stop()
  folder.remove()
})

const section = (page: Page) => page.getByRole('region', { name: 'Backups', exact: true })
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name })
const button = (page: Page, name: string) => section(page).getByRole('button', { name })

browserTest('a bucket is set up, tested and encrypted, and a wrong value is shown at its field', async () => {
  await dashboard.withPage('/animals', async (page, watched) => {
    await page.getByRole('link', { name: 'Settings' }).click()
    await section(page).getByText('Backups stay on this computer').waitFor()
    await button(page, 'Set up a bucket').click()
    const form = dialog(page, 'Bucket for backups')
    const fill = (label: string, text: string) => form.getByLabel(label, { exact: true }).fill(text)
    await fill('Bucket', 'shop')
    await fill('Endpoint', server.bucket.endpoint ?? '')
    await fill('Region', 'us-east-1')
    await fill('Access key ID', server.bucket.accessKeyId)
    await fill('Secret access key', server.bucket.secretAccessKey)
    await fill('Your password for this store', owner.password)
    await expectAccessible(page)
    const save = form.getByRole('button', { name: 'Save bucket' })
    await save.click()
    await form.getByText('Enter s3:// with the name of a bucket').waitFor()
    watched.removeExpected(/400 \(Bad Request\)/)
    await fill('Bucket', 's3://shop/pets')
    await save.click()
    await form.waitFor({ state: 'detached' })
    await section(page).getByText('s3://shop/pets').waitFor()
    await button(page, 'Test the bucket').click()
    await page.getByText('The bucket works: an object was written, read and deleted.').waitFor()
    expect(server.objects()).toEqual([])
    server.set('refuse')
    await button(page, 'Test the bucket').click()
    await page.getByText('refuses it: its policy does not allow that to these keys').waitFor()
    watched.removeExpected(/502 \(Bad Gateway\)/)
    server.set('serve')
    await section(page).getByText('The copies are not encrypted').waitFor()
    await button(page, 'Encrypt the copies').click()
    const printed = dialog(page, 'The key of your backups')
    await printed.getByText(/^AGE-SECRET-KEY-1[A-Z0-9]{58}$/).waitFor()
    await expectAccessible(page)
    // Nothing else reads the copies: it is not closed unread, neither by a key nor by leaving the page.
    await page.keyboard.press('Escape')
    await printed.getByText('You have not copied the key.').waitFor()
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'Animals', includeHidden: true }).waitFor()
    await printed.getByRole('button', { name: 'Print key' }).click()
    await printed.getByRole('button', { name: 'Done' }).click()
    await printed.waitFor({ state: 'detached' })
    await page.goForward()
    await section(page).getByText('New copies are encrypted').waitFor()
    await expectNoSidewaysScrolling(page)
    await button(page, 'Stop copying').click()
    await dialog(page, 'Stop copying?').getByRole('button', { name: 'Stop copying' }).click()
    await section(page).getByText('Backups stay on this computer').waitFor()
  })
})
