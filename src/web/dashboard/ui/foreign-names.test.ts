import { expect } from 'bun:test'
import { animalsOf, notice } from '../../../testing/dashboard/animals.ts'
import { goTo } from '../../../testing/dashboard/open.ts'
import { browserTest, dashboardForTests, expectNoSidewaysScrolling } from '../../../testing/dashboard/store.ts'

const store = dashboardForTests()
const animals = animalsOf(store)

browserTest('a name that reverses the text after it leaves the rest of its sentence as it is', async () => {
  const pet = await animals.add('a\u202eeliforp')
  await store.withPage('/animals', async (page) => {
    await page.getByRole('button', { name: /^Mark as sold: .*eliforp/ }).click()
    await notice(page, '\u2068a\u202eeliforp\u2069 is sold.').waitFor()
    expect((await animals.find(pet.id))?.name).toBe(pet.name)
  })
})

browserTest('the highest number of a category that has no name fits 320 px', async () => {
  await animals.add('Rex', { categoryId: Number.MAX_SAFE_INTEGER })
  await store.withPage('/animals/categories', async (page) => {
    await page.setViewportSize({ width: 320, height: 700 })
    await page.getByRole('button', { name: /^Name it/ }).click()
    await page.getByRole('dialog', { name: 'Name of the category' }).waitFor()
    await page.keyboard.press('Escape')
    await expectNoSidewaysScrolling(page)
  })
})

browserTest('a search whose hundredth character is an emoji finds the animals with it', async () => {
  const name = `${'x'.repeat(99)}🐈`
  await animals.add(name)
  await store.withPage(`/animals?q=${encodeURIComponent(`${name} and more`)}`, async (page, watched) => {
    await page.getByRole('button', { name: `More for ${name}` }).waitFor()
    await goTo(page, '/orders?place=1')
    await page.getByRole('combobox', { name: 'Animal' }).fill(`${name} and more`)
    await page.getByRole('option', { name }).waitFor()
    expect(watched.complaints).toEqual([])
  })
})
