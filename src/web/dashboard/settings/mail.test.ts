/** Setting mail up in the dashboard, and choosing a new password by a link that comes by mail. */

import { afterAll, beforeAll, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import {
  mailPassword,
  mailUser,
  startMailServer,
  type TestMailServer,
} from '../../../operate/mail/testing/mail-server.ts'
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
let server: TestMailServer
let store: PetstoreProcess
let dashboard: OpenDashboard
beforeAll(async () => {
  if (!hasBrowser) return
  // The form takes TLS from the start for port 465 alone.
  server = await startMailServer({ scheme: 'smtp' })
  const env = { NODE_EXTRA_CA_CERTS: server.certificateFile }
  store = await startPetstoreProcess(['--data', folder.path], { cwd: folder.path, env })
  dashboard = openDashboard(() => store.ready.url, store.ready.setupUrl ?? '')
}, browserTimeoutMs)
afterAll(async () => {
  await store?.stop()
  await server?.stop()
  folder.remove()
})

const section = (page: Page) => page.getByRole('region', { name: 'Mail', exact: true })
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Mail server' })
const fill = (page: Page, label: string, text: string) => dialog(page).getByLabel(label, { exact: true }).fill(text)

browserTest('mail is set up, and a forgotten password is replaced by the link of a mail', async () => {
  await dashboard.withPage('/settings', async (page, watched) => {
    await section(page).getByText('Mail is off').waitFor()
    await section(page).getByRole('button', { name: 'Set up mail' }).click()
    await fill(page, 'Mail server', 'localhost')
    await fill(page, 'Port', String(server.port))
    await fill(page, 'User name', mailUser)
    await fill(page, 'Sender', mailUser)
    await fill(page, 'Your password for this store', owner.password)
    await expectAccessible(page)
    const save = dialog(page).getByRole('button', { name: 'Save mail server' })
    await save.click()
    await dialog(page).getByText('Enter the password of the mail server.').waitFor()
    watched.removeExpected(/400 \(Bad Request\)/)
    await fill(page, 'Password of the mail server', mailPassword)
    await save.click()
    await dialog(page).waitFor({ state: 'detached' })
    await section(page).getByText(`From ${mailUser} through localhost:${server.port}`).waitFor()
    await expectAccessible(page)
    await page.setViewportSize({ width: 320, height: 640 })
    await expectNoSidewaysScrolling(page)

    await section(page).getByRole('button', { name: 'Send test mail' }).click()
    await page.getByText(`The test mail is on its way to ${owner.email}.`).waitFor()
    expect(server.received.map(({ subject }) => subject)).toEqual(['Mail works'])
  })
  await dashboard.withPage(
    '/',
    async (page, watched) => {
      await page.getByText('Forgot your password?').click()
      await page.getByLabel('Your e-mail').fill(owner.email)
      const arrived = server.nextMail()
      await page.getByRole('button', { name: 'Send link' }).click()
      await page.getByText('a mail with a link is on its way').waitFor()
      await expectAccessible(page)
      await arrived
      const link = /^ {2}(http\S+)$/m.exec(server.received.at(-1)?.text ?? '')?.[1] ?? ''
      await page.goto(link)
      await page.getByRole('heading', { name: 'Choose a new password' }).waitFor()
      expect(await page.getByLabel('E-mail').inputValue()).toBe(owner.email)
      await expectAccessible(page)
      await page.getByRole('textbox', { name: 'Password' }).fill('another long password')
      await page.getByRole('button', { name: 'Save password' }).click()
      await page.getByRole('heading', { name: 'Overview' }).waitFor()
      watched.removeExpected(/401 \(Unauthorized\)/)
    },
    { isSignedOut: true },
  )
})
