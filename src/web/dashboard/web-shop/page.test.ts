import { expect } from 'bun:test'
import { imageBytes } from '../../../shop/photos/testing/images.ts'
import { browserTest, dashboardForTests, expectAccessible } from '../../../testing/dashboard/store.ts'
import { proxiedHosting } from '../../../testing/executable.ts'

const store = dashboardForTests({ args: ['--platform-domain', 'shop.example', ...proxiedHosting] })

browserTest(
  'a web shop is created with a preview, changed, gets a logo, and is deleted; unsaved input survives',
  async () => {
    await store.send('POST', '/pets', { name: 'Honeysuckle', categoryId: 2 })
    const { id } = await store.send<{ id: number }>('POST', '/pets', { name: 'Thistle', categoryId: 2 })
    await store.send('PATCH', `/pets/${id}/profile`, { published: false })
    await store.withPage('/web-shop', async (page, watched) => {
      // There is none yet.
      watched.removeExpected(/404/)
      const keysOfPreviews = new Set<string | undefined>()
      page.on('request', (request) => {
        if (request.url().endsWith('/preview')) keysOfPreviews.add(request.headers()['idempotency-key'])
      })
      await page.getByLabel('Name', { exact: true }).fill('Paws & Co.')
      await page.getByLabel('E-mail').fill('nobody')
      const preview = page.frameLocator('iframe')
      await preview.getByRole('heading', { level: 1, name: 'Paws & Co.' }).waitFor()
      await preview.getByText('Honeysuckle').waitFor()
      await page.getByRole('button', { name: 'Create web shop' }).click()
      await page.getByText('Enter an e-mail address').waitFor()
      await page.getByLabel('E-mail').fill('hello@paws.example')
      await page.getByRole('button', { name: 'Create web shop' }).click()
      await page.getByRole('link', { name: 'paws-co.shop.example' }).waitFor()
      await page.getByText('It shows 1 animal: all that').waitFor()
      await page.getByText('Not shown: 1 animal not published.').waitFor()
      // It needs no deploy.
      await page.getByRole('link', { name: 'Use your own domain' }).click()
      await page.getByRole('button', { name: 'Add domain' }).waitFor()
      await page.goBack()

      await page.getByLabel('Language').selectOption('de')
      await page.getByLabel('Opening hours').fill('Mo bis Fr 10 bis 18 Uhr')
      await preview.getByText('Öffnungszeiten').waitFor()
      // With a key, the store would keep each preview for a day.
      expect([...keysOfPreviews]).toEqual([undefined])
      await page.getByRole('link', { name: 'Settings' }).first().click()
      await page.getByRole('button', { name: 'Continue editing' }).click()
      expect(await page.getByLabel('Opening hours').inputValue()).toBe('Mo bis Fr 10 bis 18 Uhr')
      await page.getByRole('button', { name: 'Save web shop' }).click()
      await page.getByText('The Impressum is missing').waitFor()

      const buffer = await imageBytes('jpeg', 300, 200)
      await page.getByLabel('File of the logo').setInputFiles({ name: 'logo.jpg', mimeType: 'image/jpeg', buffer })
      await page.getByRole('img', { name: 'The logo' }).waitFor()
      await expectAccessible(page)
      await page.getByRole('button', { name: 'Delete logo' }).click()
      await page.getByRole('button', { name: 'Add logo' }).waitFor()
      await page.getByLabel('Phone').fill('1')
      await page.getByRole('button', { name: 'Discard changes' }).click()
      expect(await page.getByLabel('Phone').inputValue()).toBe('')
      const website = await store.send('GET', '/store/website')
      expect(website).toMatchObject({ name: 'Paws & Co.', email: 'hello@paws.example', language: 'de', logo: null })
      await page.getByRole('button', { name: 'Delete web shop' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete web shop' }).click()
      await page.getByRole('button', { name: 'Create web shop' }).waitFor()
      watched.removeExpected(/404/)
    })
  },
)
