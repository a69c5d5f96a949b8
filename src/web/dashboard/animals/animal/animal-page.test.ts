/** The page of an animal: its way from the list and back, its profile, its photos, and its price elsewhere. */

import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { imageBytes } from '../../../../shop/photos/testing/images.ts'
import { animalsOf, notice, row } from '../../../../testing/dashboard/animals.ts'
import { goTo } from '../../../../testing/dashboard/open.ts'
import {
  browserTest,
  dashboardForTests,
  expectAccessible,
  expectNoSidewaysScrolling,
} from '../../../../testing/dashboard/store.ts'

interface Profile {
  readonly photos: readonly { readonly id: number; readonly alt: string | null; readonly width: number }[]
}

const store = dashboardForTests()
const { add, reserve } = animalsOf(store)
const profileOf = (id: number) => store.send<Profile>('GET', `/pets/${id}/profile`)
const change = (id: number, members: object) => store.send('PATCH', `/pets/${id}/profile`, members)

const focusOn = (page: Page, text: string) =>
  page.waitForFunction((wanted) => document.activeElement?.textContent === wanted, text)

browserTest('the page of an animal is between its neighbours of the list, and Back leads to the same row', async () => {
  for (let i = 1; i <= 40; i++) await add(`Row ${i}`)
  const { id } = await add('Sold', { status: 'sold' })
  await store.withPage('/animals?status=available&order=asc', async (page, watched) => {
    const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true })
    await page.evaluate(() => scrollTo(0, 900))
    const top = await page.evaluate(() => scrollY)
    await row(page, 'Row 21').getByRole('link', { name: 'Row 21', exact: true }).click()
    await heading('Row 21').waitFor()
    expect(await page.evaluate(() => scrollY)).toBe(0)
    expect(await page.title()).toBe('Row 21 · Pet Store')
    await page.getByRole('link', { name: 'Next: Row 22' }).press('Enter')
    await heading('Row 22').waitFor()
    await page.getByRole('link', { name: 'Previous: Row 21' }).click()
    await page.getByRole('link', { name: 'Previous: Row 20' }).click()
    await heading('Row 20').waitFor()
    // Elsewhere, the animal leaves the list: its neighbours stay.
    await page.getByRole('button', { name: 'Mark as sold' }).click()
    await notice(page, 'Row 20 is sold.').waitFor()
    await page.getByRole('link', { name: 'Next: Row 21' }).waitFor()
    expect(await page.getByRole('link', { name: 'Previous: Row 19' }).isVisible()).toBe(true)
    await notice(page, 'Row 20 is sold.').getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'Mark as sold' }).waitFor()
    await page.goBack()
    await row(page, 'Row 21').waitFor()
    expect(await page.evaluate(() => scrollY)).toBe(top)
    await focusOn(page, 'Row 21')
    // An animal that is not in the list, and one that nobody has.
    await goTo(page, `/animals/${id}?status=available`)
    await heading('Sold').waitFor()
    await page.getByRole('link', { name: 'Next', exact: true }).waitFor()
    await store.send('DELETE', `/pets/${id}`)
    await page.getByText('This no longer exists').waitFor()
    await expectAccessible(page)
    await goTo(page, '/animals/9999')
    await page.getByRole('link', { name: 'Show all animals' }).click()
    await heading('Animals').waitFor()
    watched.removeExpected(/404/)
  })
})

browserTest('a profile is edited beside others, and only a change of the same member is a conflict', async () => {
  const { id } = await add('Juniper')
  await add('Other').then((other) => change(other.id, { number: 'A-1' }))
  await store.withPage(`/animals/${id}`, async (page, watched) => {
    const field = (label: string) => page.getByLabel(label, { exact: true })
    const bar = page.getByRole('region', { name: 'Unsaved changes' })
    const save = bar.getByRole('button', { name: 'Save animal' })
    expect(await bar.count()).toBe(0)
    await field('Price').fill('49,90')
    expect(await field('Currency of the store').inputValue()).toBe('GBP')
    await field('Currency of the store').selectOption('EUR')
    await field('Number').fill('a-1')
    await field('Born').fill('14.03.2077')
    await save.click()
    await page.getByText('This is in the future.').waitFor()
    await field('Born').fill('3.2024')
    await page.getByRole('button', { name: 'Add fact' }).click()
    await focusOn(page, '')
    await page.keyboard.type('Vaccinated')
    await page.getByLabel('Text of fact 1').fill('Rabies')
    await page.getByLabel('Shown to the public').click()
    await expectAccessible(page)
    await save.click()
    await page.getByText('already has the number a-1').waitFor()
    watched.removeExpected(/409/)
    await field('Number').fill('A-2')
    await page.keyboard.press('Enter')
    await notice(page, 'Juniper is saved.').waitFor()
    const stored = { number: 'A-2', price: 4_990, currency: 'EUR', birthDate: '2024-03', published: false }
    expect(await profileOf(id)).toMatchObject({ ...stored, attributes: [{ label: 'Vaccinated', text: 'Rabies' }] })
    await bar.waitFor({ state: 'detached' })
    expect(await field('Price').inputValue()).toBe('49.90')

    await field('Breed').fill('Beagle')
    await field('Name').fill('Juniper the elder')
    await change(id, { color: 'Brown' })
    await page.waitForFunction(() => [...document.querySelectorAll('input')].some(({ value }) => value === 'Brown'))
    await save.click()
    await notice(page, 'Juniper the elder is saved.').waitFor()
    expect(await profileOf(id)).toMatchObject({ breed: 'Beagle', color: 'Brown', pet: { name: 'Juniper the elder' } })

    for (const [button, breed] of [
      ['Keep mine', 'Boxer'],
      ['Take theirs', 'Poodle'],
    ] as const) {
      await field('Breed').fill('Boxer')
      await change(id, { breed: 'Poodle' })
      await bar.getByText('Breed is now Poodle.').waitFor()
      if (button === 'Keep mine') await expectAccessible(page)
      await bar.getByRole('button', { name: button }).click()
      if (button === 'Keep mine') await save.click()
      await bar.waitFor({ state: 'detached' })
      expect(await profileOf(id)).toMatchObject({ breed })
      await change(id, { breed: 'Mongrel' })
      await page.waitForFunction(() => [...document.querySelectorAll('input')].some(({ value }) => value === 'Mongrel'))
    }

    await field('Microchip').fill('276')
    await page.getByRole('link', { name: 'Orders' }).first().click()
    await notice(page, 'not saved').getByRole('button', { name: 'Continue editing' }).click()
    expect(await field('Microchip').inputValue()).toBe('276')
    await bar.getByRole('button', { name: 'Discard changes' }).click()
    expect(await field('Microchip').inputValue()).toBe('')

    // The price of an order stays.
    const order = await reserve(id)
    await page.getByRole('link', { name: `Order ${order.id}`, exact: true }).waitFor()
    await change(id, { price: 1 })
    await page.getByRole('link', { name: `Order ${order.id}`, exact: true }).click()
    await page.getByRole('dialog').getByText('€49.90').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('button', { name: 'Change currency' }).click()
    const dialog = page.getByRole('dialog', { name: 'Currency of prices' })
    await dialog.getByLabel('Currency of the store').selectOption('JPY')
    await dialog.getByText('what costs €49.90 now will cost JP¥4,990').waitFor()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Change currency' }).click()
    await page.getByText('Japanese Yen (JPY)', { exact: true }).waitFor()
  })
})

browserTest('one photo that fails among several is named, and the others are put in order and described', async () => {
  const { id } = await add('Photographed')
  const files = await Promise.all(
    [10, 20, 30, 40, 50].map(async (size) => ({
      name: `cat ${size}.jpg`,
      mimeType: 'image/jpeg',
      buffer: size === 30 ? Buffer.from('no photo') : await imageBytes('jpeg', size, size),
    })),
  )
  await store.withPage(
    `/animals/${id}`,
    async (page, watched) => {
      const photos = page.getByRole('region', { name: 'Photos' })
      const widths = async () => (await profileOf(id)).photos.map(({ width }) => width)
      await page.getByLabel('Photos', { exact: true }).and(page.locator('input')).setInputFiles(files)
      await photos.getByRole('alert').filter({ hasText: 'cat 30.jpg' }).getByText('not a JPEG, PNG or WebP').waitFor()
      await photos.getByRole('button', { name: 'Photo 4 of Photographed' }).waitFor()
      expect(await widths()).toEqual([10, 20, 40, 50])
      expect(watched.removeExpected(/415/)).toBe(1)
      await expectAccessible(page)
      await expectNoSidewaysScrolling(page)
      await photos.getByRole('button', { name: 'Leave it out' }).click()

      const menu = async (photo: number, item: string) => {
        await photos.getByRole('button', { name: `More for photo ${photo}` }).click()
        await page.getByRole('menuitem', { name: item }).click()
      }
      await menu(4, 'Make first')
      await photos.getByText('The photo is number 1 now.').waitFor()
      await menu(1, 'Move right')
      await photos.getByText('The photo is number 2 now.').waitFor()
      await menu(4, 'Move left')
      await photos.getByText('The photo is number 3 now.').waitFor()
      expect(await widths()).toEqual([10, 50, 40, 20])
      await menu(2, 'Alternative text')
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Alternative text').fill('A red cat')
      await expectAccessible(page)
      await page.keyboard.press('Enter')
      await photos.getByRole('img', { name: 'A red cat' }).waitFor()
      await menu(1, 'Delete photo')
      await dialog.getByRole('button', { name: 'Delete photo' }).click()
      await notice(page, 'A photo of Photographed is deleted.').waitFor()
      expect(await widths()).toEqual([50, 40, 20])

      const [file = { name: '', buffer: Buffer.alloc(0) }] = files
      for (const kind of ['paste', 'drop'] as const) {
        await photos.evaluate(
          (section, { type, name, bytes }) => {
            const data = new DataTransfer()
            data.items.add(new File([Uint8Array.from(bytes)], name, { type: 'image/jpeg' }))
            const event =
              type === 'paste'
                ? new ClipboardEvent('paste', { clipboardData: data, bubbles: true })
                : new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true })
            section.querySelector('.drop')?.dispatchEvent(event)
          },
          { type: kind, name: file.name, bytes: [...file.buffer] },
        )
        await photos.getByRole('button', { name: `Photo ${kind === 'paste' ? 4 : 5} of Photographed` }).waitFor()
      }
    },
    { viewport: { width: 320, height: 700 } },
  )
})
