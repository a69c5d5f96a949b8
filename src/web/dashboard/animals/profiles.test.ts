/** What the list has of the profiles of animals, and what it changes in them. */

import { expect } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { imageBytes } from '../../../shop/photos/testing/images.ts'
import { animalsOf, notice, row } from '../../../testing/dashboard/animals.ts'
import { goTo } from '../../../testing/dashboard/open.ts'
import {
  browserTest,
  dashboardForTests,
  expectAccessible,
  expectNoSidewaysScrolling,
} from '../../../testing/dashboard/store.ts'
import { emptyFolder } from '../../../testing/executable.ts'

interface Profile {
  readonly breed: string | null
  readonly color: string | null
  readonly price: number | null
  readonly published: boolean
  readonly photos: readonly { readonly width: number }[]
}

const store = dashboardForTests({}, async () => {
  await store.send('PATCH', '/store/settings', { currency: 'EUR' })
  for (const [index, name] of ['Aster', 'Birch', 'Cedar'].entries()) {
    const { id } = await animalsOf(store).add(name)
    const price = index === 0 ? { price: 49_900 } : {}
    await store.send('PATCH', `/pets/${id}/profile`, { number: `A-10${index}`, breed: 'Maine Coon', ...price })
  }
})
const profile = (id: number) => store.send<Profile>('GET', `/pets/${id}/profile`)

const jpeg = async (name: string, width: number, end?: number) => {
  return { name, mimeType: 'image/jpeg', buffer: (await imageBytes('jpeg', width, 40)).subarray(0, end) }
}

browserTest('photos go to the animals whose numbers begin the names of their files, after a plan', async () => {
  using folder = emptyFolder()
  const file = join(folder.path, 'dropped.jpg')
  writeFileSync(file, 'x')
  const files = [
    await jpeg('a-100-2.jpg', 50),
    await jpeg('A-100-1.jpg', 40),
    await jpeg('A-102.jpg', 60),
    // Without its end.
    await jpeg('A-101 broken.jpg', 60, -2),
    await jpeg('Unknown.jpg', 40),
    { name: 'A-100.heic', mimeType: 'image/heic', buffer: Buffer.from('heic') },
  ]
  await store.withPage('/animals', async (page, watched) => {
    await row(page, 'Aster').waitFor()
    await page.getByLabel('Photos of animals').setInputFiles(files)
    const dialog = page.getByRole('dialog', { name: 'Add photos' })
    await dialog.getByText('4 photos for 3 animals.').waitFor()
    await dialog.getByText('Unknown.jpg: No animal has a number with which this name begins').waitFor()
    await dialog.getByText('A-100.heic: Not a JPEG, PNG or WebP image').waitFor()
    await dialog.getByRole('row', { name: 'a-100-2.jpg Aster A-100' }).waitFor()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Add 4 photos' }).click()
    await dialog.getByText('1 photo not added').waitFor()
    await dialog.getByText(/A-101 broken\.jpg: /).waitFor()
    await dialog.getByText('3 photos added.').waitFor()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Done' }).click()
    expect((await profile(1)).photos.map(({ width }) => width)).toEqual([40, 50])
    expect(watched.removeExpected(/status of 400/)).toBe(1)

    const photo = row(page, 'Aster').locator('img')
    await photo.waitFor()
    expect(await photo.evaluate((image) => [image.clientWidth, image.clientHeight])).toEqual([40, 40])
    const input = await page.context().newCDPSession(page)
    const data = { items: [], files: [file], dragOperationsMask: 1 }
    const drag = (type: 'dragEnter' | 'dragOver' | 'drop') =>
      input.send('Input.dispatchDragEvent', { type, x: 300, y: 300, data })
    await drag('dragEnter')
    await drag('dragOver')
    await page.getByText('Drop photos of your animals').waitFor()
    // A drop needs an answer of what is below the pointer now.
    await drag('dragOver')
    await drag('drop')
    await dialog.getByText('dropped.jpg: No animal has').waitFor()
  })
})

browserTest('the list finds numbers and shows, filters and changes profiles', async () => {
  await store.withPage('/animals', async (page) => {
    await row(page, 'Aster').getByText('A-100 · Maine Coon').waitFor()
    await row(page, 'Aster').getByText('€499.00').waitFor()
    await page.getByRole('searchbox').fill('a-101')
    await page.getByText('1 animal found').waitFor()
    await row(page, 'Birch').waitFor()
    await page.getByRole('searchbox').fill('')
    await page.getByLabel('Profile').selectOption('Without price')
    await page.waitForURL('**/animals?profile=no-price')
    await page.getByText('2 animals found').waitFor()
    // Another window gives it a price.
    await store.send('PATCH', '/pets/2/profile', { price: 0 })
    await page.getByText('1 animal found').waitFor()
    await row(page, 'Birch').waitFor({ state: 'detached' })

    await goTo(page, '/animals?sort=name')
    await row(page, 'Aster').getByText('€499.00').waitFor()
    await page.getByRole('checkbox', { name: 'Select all loaded animals' }).click()
    const bar = page.getByRole('region', { name: 'Selected animals' })
    await bar.getByRole('button', { name: 'Edit details' }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit details of 3 animals' })
    await dialog.getByLabel('Price', { exact: true }).fill('12.345')
    await dialog.getByRole('checkbox', { name: 'Change: Breed' }).click()
    await dialog.getByRole('button', { name: 'Change 3 animals' }).click()
    await dialog.getByText('Enter an amount').waitFor()
    await expectAccessible(page)
    await dialog.getByLabel('Price', { exact: true }).fill('12.50')
    await dialog.getByRole('button', { name: 'Change 3 animals' }).click()
    await notice(page, '3 animals changed.').waitFor()
    await row(page, 'Birch').getByText('€12.50').waitFor()
    expect(await profile(3)).toMatchObject({ price: 1_250, breed: null, color: null })

    await page.getByRole('checkbox', { name: 'Select all loaded animals' }).click()
    await bar.getByRole('button', { name: 'Hide' }).click()
    await row(page, 'Cedar').getByText('Not published · A-102').waitFor()
    await notice(page, '3 animals hidden from the public.').getByRole('button', { name: 'Undo' }).click()
    await notice(page, '3 animals changed back.').waitFor()
    expect(await profile(3)).toMatchObject({ published: true })
    await page.getByRole('checkbox', { name: 'Select Cedar' }).click()
    await expectAccessible(page)
    await page.setViewportSize({ width: 320, height: 640 })
    await expectNoSidewaysScrolling(page)
  })
})
