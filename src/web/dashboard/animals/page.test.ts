import { describe, expect } from 'bun:test'
import { animalsOf, notice, row } from '../../../testing/dashboard/animals.ts'
import { browserTest, dashboardForTests, expectAccessible } from '../../../testing/dashboard/store.ts'

const store = dashboardForTests()

const { add, find, reserve } = animalsOf(store)

describe('an animal', () => {
  browserTest(
    'is added to the empty store, which says so, is deleted from the menu of its row, and brought back',
    async () => {
      await store.withPage('/animals', async (page) => {
        await page.getByText('Your first animals').waitFor()
        await page.getByRole('link', { name: 'Import animals' }).waitFor()
        await expectAccessible(page)
        await page.getByRole('link', { name: 'Add animal' }).first().click()
        const dialog = page.getByRole('dialog', { name: 'Add animal' })
        await dialog.getByRole('button', { name: 'Add animal' }).click()
        await dialog.getByText('Enter the name of the animal.').waitFor()
        expect(await dialog.getByLabel('Name').evaluate((input) => input === document.activeElement)).toBe(true)
        await dialog.getByLabel('Name').fill('Honeysuckle')
        await dialog.getByLabel('Category').selectOption('Cat')
        await dialog.getByRole('button', { name: 'Add animal' }).click()
        await row(page, 'Honeysuckle').getByText('Cat').waitFor()
        expect(new URL(page.url()).search).toBe('')
        expect(await page.title()).toBe('Animals · Pet Store')

        // One that is added elsewhere appears without a reload.
        const { id } = await add('Marigold')
        await row(page, 'Marigold').waitFor()

        await page.getByRole('button', { name: 'More for Marigold' }).click()
        await expectAccessible(page)
        await page.getByRole('menuitem', { name: 'Delete animal' }).click()
        await row(page, 'Marigold').waitFor({ state: 'detached' })
        expect(await find(id)).toBeUndefined()
        await notice(page, 'Marigold is deleted').getByRole('button', { name: 'Undo' }).click()
        await row(page, 'Marigold').waitFor()
        expect(await find(id)).toMatchObject({ name: 'Marigold' })
      })
    },
  )

  browserTest('that somebody else changed meanwhile keeps the version that the person chooses', async () => {
    const { id } = await add('Clover')
    await store.withPage('/animals', async (page) => {
      for (const [choice, button, mine, theirs, kept] of [
        ['Keep mine', 'Save animal', 'Clover one', 'Clover two', 'Clover one'],
        ['Take theirs', 'Cancel', 'Clover three', 'Clover four', 'Clover four'],
      ] as const) {
        await row(page, 'Clover')
          .getByRole('link', { name: /^Clover/ })
          .press('F2')
        await page.getByRole('textbox', { name: 'Name' }).fill(mine)
        await store.send('PATCH', `/pets/${id}`, { name: theirs, status: 'pending' })
        await page.getByText(`Name is now ${theirs}.`).waitFor()
        if (choice === 'Keep mine') await expectAccessible(page)
        await page.getByRole('button', { name: choice }).click()
        await page.getByRole('button', { name: button }).click()
        await row(page, kept).getByText('Pending').waitFor()
        // A change of the name leaves the status of the other version.
        expect(await find(id)).toMatchObject({ name: kept, status: 'pending' })
      }
    })
  })
})

describe('the list', () => {
  browserTest(
    'searches while somebody types, keeps search and filters in the address, and says a number counted only in part',
    async () => {
      await add('Sorrel')
      await add('Sorrento', { status: 'sold' })
      for (const name of ['Comfrey', 'Comfort']) await add(name)
      await store.withPage('/animals?status=sold', async (page) => {
        await page.getByRole('searchbox', { name: 'Search animals by name' }).fill('sorre')
        await page.waitForURL('**/animals?status=sold&q=sorre')
        await page.getByText('1 animal found').waitFor()
        await row(page, 'Sorrento').waitFor()
        await page.getByLabel('Status').selectOption('Every status')
        await row(page, 'Sorrel').waitFor()
        await page.goBack()
        await row(page, 'Sorrel').waitFor({ state: 'detached' })
        await page.getByRole('searchbox').fill('nobody has this name')
        await page.getByText('No animal fits').waitFor()
        await page.getByText('0 animals found').waitFor()
        await expectAccessible(page)
        await page.getByRole('button', { name: 'Show all animals' }).click()
        await row(page, 'Sorrel').waitFor()

        await page.route('**/v1/pets/profiles/count*', (route) => route.fulfill({ json: { count: 0, exact: false } }))
        await page.getByRole('searchbox').fill('comf')
        await page.getByText('2 animals found').waitFor()
        await page.getByRole('searchbox').fill('nobody is called so')
        await page.getByText('No animal fits').waitFor()
        await page.getByText('0 animals found').waitFor()
      })
    },
  )

  browserTest('changes several animals, says which ones orders reserve, and offers those orders', async () => {
    const [one, two] = [await add('Tansy'), await add('Thistle')]
    const order = await reserve(two.id)
    await store.withPage('/animals?sort=name', async (page) => {
      const link = row(page, 'Thistle').getByRole('link', { name: `Open order ${order.id}: Thistle` })
      await link.waitFor()
      expect(await page.getByRole('button', { name: 'Mark as sold: Thistle' }).count()).toBe(0)
      for (const name of ['Tansy', 'Thistle']) await page.getByRole('checkbox', { name: `Select ${name}` }).click()
      const bar = page.getByRole('region', { name: 'Selected animals' })
      await bar.getByText('2 selected').waitFor()
      await expectAccessible(page)
      await bar.getByRole('button', { name: 'Mark as sold' }).click()
      await bar.getByText('1 animal sold. 1 animal reserved by orders.').waitFor()
      await expectAccessible(page)
      await bar.getByRole('button', { name: 'Show reasons' }).click()
      const reasons = page.getByRole('dialog')
      await reasons.getByRole('link', { name: `Open order ${order.id}` }).waitFor()
      await expectAccessible(page)
      expect([await find(one.id), await find(two.id)]).toMatchObject([{ status: 'sold' }, { status: 'pending' }])
      await page.keyboard.press('Escape')
      await reasons.waitFor({ state: 'detached' })
      await link.click()
      await page
        .getByRole('dialog', { name: `Order ${order.id}` })
        .getByRole('link', { name: 'Thistle' })
        .waitFor()
    })
  })

  browserTest('is sorted by what the heads of its columns say, and by id where something is searched for', async () => {
    await add('Zora')
    await add('Aaron')
    await store.withPage('/animals', async (page) => {
      const first = page.getByRole('row').nth(1).getByRole('link').first()
      const head = (name: string) => page.getByRole('columnheader', { name })
      await head('Name').getByRole('button').click()
      await page.waitForURL('**/animals?sort=name')
      await first.and(page.getByText('Aaron', { exact: true })).waitFor()
      expect(await head('Name').getAttribute('aria-sort')).toBe('ascending')
      await head('Name').getByRole('button').click()
      await page.waitForURL('**/animals?sort=name&order=desc')
      await first.and(page.getByText('Zora', { exact: true })).waitFor()
      await add('Zzz')
      await first.and(page.getByText('Zzz', { exact: true })).waitFor()
      await page.getByRole('searchbox').fill('zora')
      await page.getByText('1 animal found').waitFor()
      expect(await head('Name').getByRole('button').count()).toBe(0)
    })
  })
})

browserTest(
  'a category without a name is named before an animal gets it; all are renamed, merged and deleted',
  async () => {
    await add('Figwort', { categoryId: 99999 })
    const cats = await store.send<{ id: number }>('POST', '/categories', { name: 'Cats' })
    const mallow = await add('Mallow', { categoryId: cats.id })
    await store.send('POST', '/categories', { name: 'Unicorn' })
    await store.withPage('/animals?add=1', async (page, watched) => {
      const dialog = (name: string) => page.getByRole('dialog', { name })
      await dialog('Add animal').getByLabel('Category').selectOption({ value: '99999' })
      await dialog('Add animal').getByText('This category has no name yet').waitFor()
      await dialog('Add animal').getByRole('button', { name: 'Add animal' }).click()
      await dialog('Add animal').getByText('Enter the name of the animal.').waitFor()
      await expectAccessible(page)
      await dialog('Add animal').getByRole('link', { name: 'name it' }).click()
      await page.getByRole('button', { name: 'Name it: Category 99999' }).click()
      await page.getByRole('dialog').getByLabel('Name').fill('Newt')
      await page.getByRole('button', { name: 'Save name' }).click()
      await page.getByRole('button', { name: 'Rename category: Newt' }).waitFor()

      // Two categories cannot have one name.
      await page.getByRole('button', { name: 'Add category' }).click()
      await dialog('Add category').getByLabel('Name').fill('dog')
      await dialog('Add category').getByRole('button', { name: 'Add category' }).click()
      await dialog('Add category').getByText('Another category has this name.').waitFor()
      await expectAccessible(page)
      await dialog('Add category').getByLabel('Name').fill('Ferret')
      await dialog('Add category').getByRole('button', { name: 'Add category' }).click()
      await page.getByRole('button', { name: 'Rename category: Ferret' }).click()
      await page.getByRole('dialog').getByLabel('Name').fill('Polecat')
      await page.getByRole('button', { name: 'Save name' }).click()
      await page.getByRole('button', { name: 'Rename category: Polecat' }).waitFor()
      expect(watched.removeExpected(/409/)).toBe(1)

      // Merging moves the animals; a category that has some is not deleted.
      await page.getByRole('button', { name: 'More for Cats' }).click()
      expect(await page.getByRole('menuitem', { name: 'Delete category' }).isDisabled()).toBe(true)
      await page.getByRole('menuitem', { name: 'Merge into another category' }).click()
      const merge = dialog('Merge category')
      await merge.getByText('1 animal of Cats will move').waitFor()
      await merge.getByRole('button', { name: 'Merge category' }).click()
      await merge.getByText('Choose the category that stays.').waitFor()
      await expectAccessible(page)
      await merge.getByLabel('Merge into').selectOption({ value: '2' })
      await merge.getByRole('button', { name: 'Merge category' }).click()
      await notice(page, 'Category Cats is merged into Cat.').waitFor()
      await page.getByRole('button', { name: 'More for Cats' }).waitFor({ state: 'detached' })
      expect(await find(mallow.id)).toMatchObject({ categoryId: 2 })

      await page.getByRole('button', { name: 'More for Unicorn' }).click()
      await page.getByRole('menuitem', { name: 'Delete category' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete category' }).click()
      await notice(page, 'Category Unicorn is deleted.').waitFor()
      await page.getByRole('button', { name: 'More for Unicorn' }).waitFor({ state: 'detached' })
    })
  },
)
