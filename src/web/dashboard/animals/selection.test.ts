import { expect } from 'bun:test'
import { animalsOf, notice, row } from '../../../testing/dashboard/animals.ts'
import { browserTest, dashboardForTests } from '../../../testing/dashboard/store.ts'

const store = dashboardForTests()
const { add, find, reserve } = animalsOf(store)

browserTest('the selection ends when a link, "Back" or a search leads to other animals', async () => {
  const pets = [await add('Basil'), await add('Borage')]
  const sold = await add('Burdock', { status: 'sold' })
  await reserve((await add('Held')).id)
  await add('Other')
  await store.withPage('/animals', async (page) => {
    const bar = page.getByRole('region', { name: 'Selected animals' })
    for (const { name } of pets) await page.getByRole('checkbox', { name: `Select ${name}` }).click()
    await bar.getByText('2 selected').waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: /^Search pages/ }).fill('take back')
    await page.keyboard.press('Enter')
    await row(page, 'Basil').waitFor({ state: 'detached' })
    expect(await bar.count()).toBe(0)
    await page.getByRole('checkbox', { name: 'Select Burdock' }).click()
    await bar.getByText('1 selected').waitFor()
    await page.goBack()
    await row(page, 'Basil').waitFor()
    expect(await bar.count()).toBe(0)
    expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(0)
    expect(await find(sold.id)).toBeDefined()

    // Animals that could not be changed are not selected in another list that was opened meanwhile.
    await page.getByRole('searchbox').fill('held')
    await row(page, 'Other').waitFor({ state: 'detached' })
    const { promise: isLeft, resolve: leave } = Promise.withResolvers<void>()
    await page.route('**/v1/pets/batch', async (route) => {
      await isLeft
      await route.continue()
    })
    await page.getByRole('checkbox', { name: 'Select Held' }).click()
    await bar.getByRole('button', { name: 'Delete animals' }).click()
    await page.getByRole('searchbox').fill('other')
    await row(page, 'Other').waitFor()
    leave()
    await notice(page, '1 animal reserved by orders').waitFor()
    expect(await bar.count()).toBe(0)
  })
})
