import { describe, expect } from 'bun:test'
import { watchPage } from '../../../testing/browser.ts'
import { animalsOf, notice, row } from '../../../testing/dashboard/animals.ts'
import { browserTest, dashboardForTests, expectAccessible } from '../../../testing/dashboard/store.ts'

const store = dashboardForTests()

const { add, find } = animalsOf(store)

describe('an animal', () => {
  browserTest('is added to the empty store, which says so, and its name must not be empty', async () => {
    await store.withPage('/animals', async (page) => {
      await page.getByText('Your first animals').waitFor()
      await page.getByRole('link', { name: 'Import animals' }).waitFor()
      await expectAccessible(page)
      await page.getByRole('link', { name: 'Add animal' }).first().click()
      const dialog = page.getByRole('dialog', { name: 'Add animal' })
      await dialog.getByRole('button', { name: 'Add animal' }).click()
      await dialog.getByText('Enter the name of the animal.').waitFor()
      expect(await dialog.getByLabel('Name').evaluate((input) => input === document.activeElement)).toBe(true)
      await expectAccessible(page)
      await dialog.getByLabel('Name').fill('Honeysuckle')
      await dialog.getByLabel('Category').selectOption('Cat')
      await dialog.getByRole('button', { name: 'Add animal' }).click()
      await row(page, 'Honeysuckle').getByText('Cat').waitFor()
      expect(new URL(page.url()).search).toBe('')
      expect(await page.title()).toBe('Animals · Pet Store')
    })
  })

  browserTest('that an order reserves offers that order instead of its sale', async () => {
    const { id } = await add('Held Hazel')
    const order = await store.send<{ id: number }>('POST', '/store/orders', { petId: id })
    await store.withPage('/animals', async (page) => {
      const link = row(page, 'Held Hazel').getByRole('link', { name: `Open order ${order.id}: Held Hazel` })
      await link.waitFor()
      expect(await page.getByRole('button', { name: 'Mark as sold: Held Hazel' }).count()).toBe(0)
      await link.click()
      await page
        .getByRole('dialog', { name: `Order ${order.id}` })
        .getByRole('link', { name: 'Held Hazel' })
        .waitFor()
    })
  })

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
        await expectAccessible(page)
        await page.getByRole('button', { name: choice }).click()
        await page.getByRole('button', { name: button }).click()
        await row(page, kept).getByText('Pending').waitFor()
        // A change of the name leaves the status of the other version.
        expect(await find(id)).toMatchObject({ name: kept, status: 'pending' })
      }
    })
  })

  browserTest('edited in two tabs at once loses nothing: the second to save decides', async () => {
    const { id } = await add('Teasel')
    await store.withPage('/animals?q=teas', async (first) => {
      const other = await watchPage(await first.context().newPage(), store.url)
      const second = other.page
      await second.goto(`${store.url}/dashboard/animals?q=teas`)
      for (const page of [first, second]) {
        await row(page, 'Teasel').getByRole('link', { name: 'Teasel', exact: true }).press('F2')
        await page.getByRole('textbox', { name: 'Name' }).waitFor()
      }
      await first.getByRole('textbox', { name: 'Name' }).fill('Teasel of the first')
      await second.getByRole('textbox', { name: 'Name' }).fill('Teasel of the second')
      await first.getByRole('button', { name: 'Save animal' }).click()
      await first.getByRole('link', { name: 'Teasel of the first', exact: true }).waitFor()
      // The open edit of the other tab stays as it is.
      expect(await second.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Teasel of the second')
      await second.getByText('Name is now Teasel of the first.').waitFor()
      await second.getByRole('button', { name: 'Keep mine' }).click()
      expect(await find(id)).toMatchObject({ name: 'Teasel of the first' })
      await second.getByRole('button', { name: 'Save animal' }).click()
      await first.getByRole('link', { name: 'Teasel of the second', exact: true }).waitFor()
      expect(await find(id)).toMatchObject({ name: 'Teasel of the second' })
      expect(other.complaints).toEqual([])
    })
  })

  browserTest('is deleted from the menu of its row, which can be undone', async () => {
    const { id } = await add('Bramble')
    await store.withPage('/animals', async (page) => {
      await page.getByRole('button', { name: 'More for Bramble' }).click()
      await expectAccessible(page)
      await page.getByRole('menuitem', { name: 'Delete animal' }).click()
      await row(page, 'Bramble').waitFor({ state: 'detached' })
      expect(await find(id)).toBeUndefined()
      await notice(page, 'Bramble is deleted').getByRole('button', { name: 'Undo' }).click()
      await row(page, 'Bramble').waitFor()
      expect(await find(id)).toMatchObject({ name: 'Bramble' })
    })
  })

  browserTest('that is added elsewhere appears without a reload', async () => {
    await store.withPage('/animals', async (page) => {
      await page.getByRole('table').waitFor()
      await add('Marigold')
      await row(page, 'Marigold').waitFor()
    })
  })
})

describe('the list', () => {
  browserTest('searches while somebody types, and keeps search and filters in the address', async () => {
    await add('Sorrel')
    await add('Sorrento', { status: 'sold' })
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
    })
  })

  browserTest('says the number of a search that the server counts only in part', async () => {
    for (const name of ['Comfrey', 'Comfort']) await add(name)
    await store.withPage('/', async (page) => {
      await page.route('**/v1/pets/profiles/count*', (route) => route.fulfill({ json: { count: 0, exact: false } }))
      await page.evaluate(() => history.pushState(null, '', '/dashboard/animals?q=comf'))
      await page.getByText('2 animals found').waitFor()
      await page.getByRole('searchbox').fill('nobody has this name')
      await page.getByText('No animal fits').waitFor()
      await page.getByText('0 animals found').waitFor()
    })
  })

  browserTest('changes several animals, and says which ones orders reserve', async () => {
    const [one, two] = [await add('Tansy'), await add('Thistle')]
    await store.send('POST', '/store/orders', { petId: two.id })
    await store.withPage('/animals', async (page) => {
      for (const name of ['Tansy', 'Thistle']) await page.getByRole('checkbox', { name: `Select ${name}` }).click()
      const bar = page.getByRole('region', { name: 'Selected animals' })
      await bar.getByText('2 selected').waitFor()
      await expectAccessible(page)
      await bar.getByRole('button', { name: 'Mark as sold' }).click()
      await bar.getByText('1 animal sold. 1 animal reserved by orders.').waitFor()
      await expectAccessible(page)
      await bar.getByRole('button', { name: 'Show reasons' }).click()
      await page
        .getByRole('dialog')
        .getByRole('link', { name: /Open order \d+/ })
        .waitFor()
      await expectAccessible(page)
      expect([await find(one.id), await find(two.id)]).toMatchObject([{ status: 'sold' }, { status: 'pending' }])
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
      await expectAccessible(page)
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

describe('a category', () => {
  browserTest('is added and renamed, and two cannot have one name', async () => {
    await store.withPage('/animals/categories', async (page, watched) => {
      await page.getByRole('button', { name: 'Add category' }).click()
      const dialog = page.getByRole('dialog', { name: 'Add category' })
      await dialog.getByLabel('Name').fill('dog')
      await dialog.getByRole('button', { name: 'Add category' }).click()
      await dialog.getByText('Another category has this name.').waitFor()
      await expectAccessible(page)
      await dialog.getByLabel('Name').fill('Ferret')
      await dialog.getByRole('button', { name: 'Add category' }).click()
      await page.getByRole('button', { name: 'Rename category: Ferret' }).click()
      await page.getByRole('dialog').getByLabel('Name').fill('Polecat')
      await page.getByRole('button', { name: 'Save name' }).click()
      await page.getByRole('button', { name: 'Rename category: Polecat' }).waitFor()
      expect(watched.removeExpected(/409/)).toBe(1)
    })
  })
})

describe('categories', () => {
  browserTest('are merged, which moves their animals, and deleted when they have none', async () => {
    const { id } = await store.send<{ id: number }>('POST', '/categories', { name: 'Cats' })
    const { id: petId } = await add('Mallow', { categoryId: id })
    await store.withPage('/animals/categories', async (page) => {
      await page.getByRole('button', { name: 'More for Cats' }).click()
      expect(await page.getByRole('menuitem', { name: 'Delete category' }).isDisabled()).toBe(true)
      await page.getByRole('menuitem', { name: 'Merge into another category' }).click()
      const dialog = page.getByRole('dialog', { name: 'Merge category' })
      await dialog.getByText('1 animal of Cats will move').waitFor()
      await dialog.getByRole('button', { name: 'Merge category' }).click()
      await dialog.getByText('Choose the category that stays.').waitFor()
      await expectAccessible(page)
      await dialog.getByLabel('Merge into').selectOption({ value: '2' })
      await dialog.getByRole('button', { name: 'Merge category' }).click()
      await notice(page, 'Category Cats is merged into Cat.').waitFor()
      await page.getByRole('button', { name: 'More for Cats' }).waitFor({ state: 'detached' })
      expect(await find(petId)).toMatchObject({ categoryId: 2 })

      await store.send('POST', '/categories', { name: 'Unicorn' })
      await page.getByRole('button', { name: 'More for Unicorn' }).click()
      await page.getByRole('menuitem', { name: 'Delete category' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete category' }).click()
      await notice(page, 'Category Unicorn is deleted.').waitFor()
      await page.getByRole('button', { name: 'More for Unicorn' }).waitFor({ state: 'detached' })
    })
  })

  browserTest('without a name are named before an animal gets one, and in their list', async () => {
    await add('Figwort', { categoryId: 99999 })
    await store.withPage('/animals?add=1', async (page) => {
      const dialog = page.getByRole('dialog', { name: 'Add animal' })
      await dialog.getByLabel('Category').selectOption({ value: '99999' })
      await dialog.getByText('This category has no name yet').waitFor()
      await expectAccessible(page)
      await dialog.getByRole('link', { name: 'name it' }).click()
      await page.getByRole('button', { name: 'Name it: Category 99999' }).click()
      await page.getByRole('dialog').getByLabel('Name').fill('Newt')
      await page.getByRole('button', { name: 'Save name' }).click()
      await page.getByRole('button', { name: 'Rename category: Newt' }).waitFor()
    })
  })
})
