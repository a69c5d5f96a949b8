import { expect } from 'bun:test'
import { holdResponse } from '../../../testing/dashboard/hold.ts'
import { browserTest, dashboardForTests } from '../../../testing/dashboard/store.ts'
import { onlyHereHint } from '../api/system.ts'

const store = dashboardForTests({ args: ['--base-url', 'https://api.paws.example/v1'] })

browserTest('the text for the user of a new key has the public address, not the one of the browser', async () => {
  await store.withPage('/keys?create=1', async (page) => {
    const form = page.getByRole('dialog', { name: 'Create key' })
    await form.getByLabel('Name').fill('Partner')
    await form.getByRole('button', { name: 'Create key' }).click()
    const shown = page.getByRole('dialog', { name: 'Your new key' })
    const details = await shown.locator('pre', { hasText: 'Address: ' }).textContent()
    expect(details).toContain('Address: https://api.paws.example/v1\nManual: https://api.paws.example/docs\n')
    expect(await shown.textContent()).not.toContain(onlyHereHint)
  })
})

browserTest('the button that copies a new key does not move when the text for its user arrives', async () => {
  await store.withPage('/keys?create=1', async (page) => {
    const { release } = await holdResponse(page, 'GET', /\/v1\/system$/)
    await page.reload()
    const form = page.getByRole('dialog', { name: 'Create key' })
    await form.getByLabel('Name').fill('Till')
    await form.getByRole('button', { name: 'Create key' }).click()
    const shown = page.getByRole('dialog', { name: 'Your new key' })
    const copy = shown.getByRole('button', { name: 'Copy key' })
    // The dialog has opened when a click has reached the button.
    await copy.click({ trial: true })
    const before = await copy.boundingBox()
    release()
    await shown.locator('pre', { hasText: 'Address: ' }).waitFor()
    await copy.click({ trial: true })
    expect(await copy.boundingBox()).toEqual(before)
  })
})
