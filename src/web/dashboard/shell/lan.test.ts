import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { lanAddress } from '../../../testing/browser.ts'
import { owner } from '../../../testing/dashboard/open.ts'
import { browserTest, dashboardForTests, expectAccessible } from '../../../testing/dashboard/store.ts'

/** At such an address without HTTPS, browsers have neither a clipboard nor `crypto.randomUUID`. */
const address = lanAddress

const store = dashboardForTests({ host: address }, async () => {
  await store.signIn()
})

async function createKey(page: Page, name: string): Promise<string> {
  await page.getByRole('link', { name: 'Create key', exact: true }).click()
  const form = page.getByRole('dialog', { name: 'Create key' })
  await form.getByLabel('Name').fill(name)
  await form.getByRole('button', { name: 'Create key' }).click()
  const shown = page.getByRole('dialog', { name: 'Your new key' })
  return (await shown.locator('pre').first().textContent()) ?? ''
}

browserTest('over HTTP on a network, signing in warns, and everything works without a clipboard', async () => {
  await store.withPage(
    '/keys',
    async (page, watched) => {
      expect(new URL(page.url()).hostname).toBe(address)
      expect(await page.evaluate(() => [isSecureContext, 'clipboard' in navigator, 'randomUUID' in crypto])).toEqual([
        false,
        false,
        false,
      ])
      await page.getByText(/could read/).waitFor()
      await expectAccessible(page)
      await page.getByLabel('E-mail').fill(owner.email)
      await page.getByRole('textbox', { name: 'Password' }).fill(owner.password)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor()
      watched.removeExpected(/401/)

      const secret = await createKey(page, 'Copied')
      const shown = page.getByRole('dialog', { name: 'Your new key' })
      await shown.getByRole('button', { name: 'Copy key' }).click()
      await shown.getByRole('button', { name: /^Copied/ }).waitFor()
      await shown.getByRole('button', { name: 'Done' }).click()
      // The older way of copying worked: the pasted text is the key.
      await page.keyboard.press('Control+k')
      const field = page.getByRole('combobox', { name: 'Search pages, actions and animals' })
      await field.focus()
      await page.keyboard.press('Control+v')
      expect(await field.inputValue()).toBe(secret)
    },
    { isSignedOut: true },
  )
})

browserTest('where a browser does not copy at all, the key is selected for Ctrl C', async () => {
  await store.withPage('/keys', async (page) => {
    await page.evaluate(() => {
      document.execCommand = () => false
    })
    const secret = await createKey(page, 'Selected')
    const shown = page.getByRole('dialog', { name: 'Your new key' })
    await shown.getByRole('button', { name: 'Copy key' }).click()
    await shown.getByRole('button', { name: /^Press Ctrl\/⌘ C/ }).waitFor()
    expect(await page.evaluate(() => getSelection()?.toString())).toBe(secret)
  })
})
