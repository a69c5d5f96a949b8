import { describe, expect } from 'bun:test'
import { authorizeButton, browserTest, dialogOf, enterKey, open, serveDocs } from './testing/docs.ts'

const docs = serveDocs()
const { withDocs } = docs

describe('a key', () => {
  browserTest('authorizes the page, also after a reload, and "Try it out" sends requests with it', async () => {
    await fetch(`${docs.url}/v1/pets`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${docs.key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'Honeysuckle', categoryId: 2 }),
    })
    await withDocs(async (page) => {
      await authorizeButton(page).click()
      await enterKey(page, `  Bearer ${docs.key}\n`)
      expect(await page.locator('.key-dialog-result').textContent()).toContain('valid for production')
      await dialogOf(page).getByRole('button', { name: 'Close' }).click()

      const listPets = await open(page, 'animals-listPets')
      await listPets.getByRole('button', { name: 'Try it out' }).click()
      await listPets.getByRole('button', { name: 'Execute' }).click()
      const response = listPets.locator('.live-responses-table')
      expect(await response.locator('tbody .response-col_status').textContent()).toContain('200')
      expect(await response.locator('.highlight-code').first().textContent()).toContain('"name": "Honeysuckle"')
      expect(await listPets.locator('.request-url').textContent()).toContain(`${docs.url}/v1/pets`)

      await page.reload()
      await page.locator('.btn.authorize.locked').waitFor()
      await authorizeButton(page).click()
      await dialogOf(page).getByText('valid for production').waitFor()
      await dialogOf(page).getByRole('button', { name: 'Log out' }).click()
      await dialogOf(page).getByLabel('Paste your API key').waitFor()
      await page.locator('.btn.authorize.unlocked').waitFor({ state: 'attached' })
    })
  })

  browserTest('that was removed is not shown again when its check ends', async () => {
    await withDocs(async (page) => {
      await authorizeButton(page).click()
      await enterKey(page, docs.key)
      await dialogOf(page).getByRole('button', { name: 'Close' }).click()
      const held = Promise.withResolvers<void>()
      await page.route('**/v1/keys/current', async (route) => {
        await held.promise
        await route.continue()
      })
      const checked = page.waitForEvent('requestfinished', (request) => request.url().endsWith('/v1/keys/current'))
      await authorizeButton(page).click()
      await dialogOf(page).getByRole('button', { name: 'Log out' }).click()
      held.resolve()
      await checked
      // By the time of a later response the page has read the earlier one.
      await page.evaluate(async () => void (await (await fetch('/healthz')).text()))
      expect(await page.locator('.key-dialog-result').textContent()).toBe('')
    })
  })

  browserTest('that is invalid is reported when it is entered, and is not used', async () => {
    const wrong: [text: string, message: string][] = [
      ['', 'Paste an API key first.'],
      ['pet_live_short', 'check that it was copied whole'],
      [docs.key.replace('pet_live_', 'pet_test_'), 'This is a staging key (pet_test_…)'],
      ['pet_live_ with spaces', 'it contains spaces or characters that no key has'],
      ['pet_live_'.repeat(2_500), 'it is longer than any key'],
      ['pet_live_…', 'it contains spaces or characters that no key has'],
    ]
    await withDocs(async (page, watched) => {
      await authorizeButton(page).click()
      for (const [text, message] of wrong) {
        await enterKey(page, text)
        await page.locator('.key-dialog-error', { hasText: message }).waitFor()
        expect(await page.locator('#key-dialog-key').evaluate((input) => input === document.activeElement)).toBe(true)
      }
      await page.context().setOffline(true)
      await enterKey(page, docs.key)
      await page.locator('.key-dialog-error', { hasText: 'the server cannot be reached' }).waitFor()
      await page.context().setOffline(false)
      await dialogOf(page).getByRole('button', { name: 'Close' }).click()
      expect(await page.locator('.btn.authorize.unlocked').count()).toBe(1)
      expect(watched.removeExpected(/status of 401|ERR_INTERNET_DISCONNECTED/)).toBe(3)
    })
  })

  browserTest('is entered in a dialog that keeps the focus until it is closed and then returns it', async () => {
    await withDocs(async (page) => {
      const inDialog = () => page.evaluate(() => document.activeElement?.closest('dialog') !== null)
      await authorizeButton(page).focus()
      await page.keyboard.press('Enter')
      await dialogOf(page).waitFor()
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('key-dialog-key')
      const reached: boolean[] = []
      for (let i = 0; i < 6; i++) {
        await page.keyboard.press('Tab')
        // After the last field the browser's own controls have the focus; the page then reports its body.
        reached.push((await inDialog()) || (await page.evaluate(() => document.activeElement === document.body)))
      }
      expect(reached).not.toContain(false)
      await page.keyboard.press('Escape')
      await dialogOf(page).waitFor({ state: 'detached' })
      expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('Authorize')
    })
  })
})

describe('an operation', () => {
  browserTest('fits on two screens of a laptop and of a phone', async () => {
    await withDocs(
      async (page) => {
        const operations = [
          'animals-listPets',
          'animals-createPet',
          'animals-updatePet',
          'keys-rollKey',
          'keys-createKey',
        ]
        for (const operation of operations) await open(page, operation)
        for (const width of [1280, 390]) {
          await page.setViewportSize({ width, height: 844 })
          for (const operation of operations) {
            const height = (await page.locator(`#operations-${operation}`).boundingBox())?.height
            expect([width, operation, Number(height) <= 2 * 844, height]).toEqual([width, operation, true, height])
          }
          expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
        }
        // Without our styles, Swagger UI makes the column of a response with a schema too narrow.
        const response = page.locator('#operations-animals-createPet .response')
        await response.getByRole('tab', { name: 'Schema' }).click()
        const { width = 0 } = (await response.locator('.response-col_description').boundingBox()) ?? {}
        expect(width).toBeGreaterThan(250)
      },
      { viewport: { width: 1280, height: 844 } },
    )
  })

  browserTest('shows common headers once, its errors with their messages, and whether it is beta', async () => {
    await withDocs(async (page) => {
      expect(await page.locator('#operations-animals-listPets .stability').count()).toBe(0)
      expect(await page.locator('#operations-animals-restorePet .stability').textContent()).toBe('beta')
      const block = await open(page, 'animals-createPet')
      expect(await block.locator('dt', { hasText: 'X-Request-Id' }).count()).toBe(1)
      await block.getByText('Headers of every response').click()
      await block.locator('.response-fold dd').first().waitFor()
      await block.getByText('Other responses').click()
      await block.getByText('name is required.').waitFor()
      const tooMany = block.locator('.other-response', { hasText: '429' })
      expect(await tooMany.locator('dt').allTextContents()).toEqual(['Retry-After integer'])
    })
  })
})
