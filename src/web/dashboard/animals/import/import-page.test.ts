import { expect } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { utils, write } from '@e965/xlsx'
import type { Page } from 'playwright-core'
import {
  browserTest,
  dashboardForTests,
  expectAccessible,
  expectNoSidewaysScrolling,
} from '../../../../testing/dashboard/store.ts'
import { emptyFolder } from '../../../../testing/executable.ts'

const store = dashboardForTests()

const count = async () => (await store.send<{ count: number }>('GET', '/pets/count')).count
const noStatus = 'None: all'

/** Chooses a file in the page of imports. */
async function choose(page: Page, name: string, content: string | Buffer): Promise<void> {
  const again = page.getByRole('button', { name: /^(Choose another file|Back)$/ })
  while ((await again.count()) > 0) await again.click()
  await page
    .getByLabel('File with animals')
    .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(content as string) })
}
const column = (page: Page, label: string) => page.getByLabel(label, { exact: true })
const allAvailable = async (page: Page) => column(page, 'Status').selectOption({ value: 'none' })
const check = (page: Page) => page.getByRole('button', { name: /^Check (file|again)$/ }).click()
const samples = (page: Page, label: string) => page.getByRole('list', { name: `First values of ${label}`, exact: true })

browserTest(
  'an older spreadsheet is matched, checked, imported, and undone, each step with the focus on its heading',
  async () => {
    await store.withPage('/animals/import', async (page, watched) => {
      const focused = (name: string) => page.locator('h2:focus').getByText(name).waitFor()
      await choose(page, 'list.numbers', 'PK')
      await page.getByText('save it as Excel or CSV').waitFor()
      await expectAccessible(page)
      await choose(page, 'index.html', '<!doctype html><p>')
      await page.getByText('This is a web page').waitFor()
      expect(watched.removeExpected(/400/)).toBe(1)
      // Semicolons, Windows-1252, and a row without a name.
      await choose(page, 'spring.csv', Buffer.from('Nr;Animal name;Type\n1;Bärbel;Cat\n2;;Dog\n3;Zoé;Dog\n', 'latin1'))
      await focused('What does each column contain?')
      await samples(page, 'Name').getByText('Bärbel').waitFor()
      expect(await column(page, 'Encoding').inputValue()).toBe('windows-1252')
      await page.getByText('Choose the column of the status, or that all are available.').waitFor()
      expect(await page.getByRole('button', { name: 'Check file' }).isDisabled()).toBe(true)
      await column(page, 'Status').selectOption(`${noStatus} 3 animals would be available`)
      await expectAccessible(page)
      await column(page, 'Category').selectOption('Nr')
      await column(page, 'Category').selectOption('Type')
      await check(page)
      await focused('2 new animals, 1 needs fixing')
      await page.getByText(/^Line 3:/).waitFor()
      await expectAccessible(page)
      const saved = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Download rows to fix' }).click()
      const download = await saved
      expect(download.suggestedFilename()).toBe('to-fix-spring.csv')
      expect(readFileSync(await download.path(), 'utf8')).toContain('2;;Dog;')
      await page.getByRole('button', { name: 'Import 2 animals' }).click()
      await focused('2 animals imported, 1 left out.')
      expect(await count()).toBe(2)
      await expectAccessible(page)
      await page.getByRole('button', { name: 'Undo import of spring.csv' }).first().click()
      const question = page.getByRole('dialog', { name: 'Undo the import of spring.csv?' })
      await question.getByRole('button', { name: 'Undo import' }).click()
      await page.getByText('2 animals removed.').waitFor()
      expect(await count()).toBe(0)
      const undone = page.getByRole('listitem').filter({ hasText: /, undone \d/ })
      expect(await undone.getByRole('time').count()).toBe(2)

      // An empty file is rejected as empty; one without column names loses no animal.
      await choose(page, 'blank.csv', '\n \n')
      await page.getByText('This file is empty.').waitFor()
      expect(watched.removeExpected(/400/)).toBe(1)
      await choose(page, 'plain.csv', 'Rowan,Dog,available\n,Cat,sold\nHazel,Cat,sold\n')
      const names = column(page, 'Names of the columns')
      expect(await names.inputValue()).toBe('')
      await page.getByText('Choose the columns of the name and of the category.').waitFor()
      await names.selectOption('in line 1')
      await column(page, 'Name')
        .locator('option', { hasText: /^Rowan$/ })
        .waitFor({ state: 'attached' })
      await names.selectOption('nowhere: each line is an animal')
      await column(page, 'Name').locator('option', { hasText: 'Column 1' }).waitFor({ state: 'attached' })
      for (const [label, name] of [
        ['Name', 'Column 1: Rowan'],
        ['Category', 'Column 2: Dog'],
        ['Status', 'Column 3: available'],
      ] as const)
        await column(page, label).selectOption(name)
      await check(page)
      await page.getByText('2 new animals, 1 needs fixing').waitFor()
      await page.getByText(/^Line 2: The name is missing\./).waitFor()
      await page.getByRole('button', { name: 'Import 2 animals' }).click()
      await page.getByText('2 animals imported, 1 left out.').waitFor()
      expect(await count()).toBe(2)
    })
  },
)

browserTest(
  'words of the file are matched; a list with profiles is imported, changes its animals, and is undone',
  async () => {
    await store.send('PATCH', '/store/settings', { currency: 'EUR' })
    const words = ['foo', 'bar', 'baz', 'qux', 'weg']
    const rows = words.map((word, i) => `${i + 1};${i === 1 ? '' : `Pet ${i}`};${i === 0 ? 'Kitten' : 'Cat'};${word}\n`)
    const list = (breed: string) =>
      `No.;Name;Category;Status;Breed;Date of birth;Price;Kennel\nA1;Ida;Dog;sold;${breed};03/04/2024;12,50;North\nA2;Ole;Cat;sold;;2020;much;South\n`
    const profileOf = async (number: string) =>
      (await store.send<Record<string, unknown>[]>('GET', `/pets/profiles?number=${number}`))[0]
    await store.withPage('/animals/import', async (page) => {
      // Problems of a kind are one.
      await choose(page, 'words.csv', `Nr;Rufname;Tierart;Status\n${rows.join('')}6;Cy;Cat;sold\n7;Di;Cat;available\n`)
      await column(page, 'Name if the first is empty').selectOption('Nr')
      await check(page)
      await page.getByText('2 new animals, 5 need fixing').waitFor()
      await page.getByText('5 rows need fixing: 1 problem').waitFor()
      await page
        .getByText(/^5 rows \(lines 2, 3, 4, …\): The status "foo" is unknown.* The same is true of 4 other values\.$/)
        .waitFor()
      const statuses = page.getByRole('group', { name: 'What do 5 words for the status mean?' })
      const places = () =>
        statuses
          .getByRole('combobox')
          .evaluateAll((all) => all.map((one) => (one as HTMLSelectElement).labels[0]?.textContent))
      const before = await places()
      await statuses.getByLabel('qux').selectOption('Pending')
      await statuses.getByLabel('baz').selectOption('Leave out')
      await statuses.getByLabel('Set all the rest to').selectOption('Sold')
      expect(await places()).toEqual(before)
      await check(page)
      await page.getByText('6 new animals').waitFor()
      await page.getByText('1 row left out because of a word').waitFor()
      expect(await places()).toEqual(before)
      const categories = page.getByRole('group', { name: '1 category of the file: new, or one that you have?' })
      await categories.getByLabel('Kitten').selectOption('Cat')
      await check(page)
      await page.getByText('will be added').waitFor({ state: 'detached' })
      await expectAccessible(page)
      await page.getByRole('button', { name: 'Import 6 animals' }).click()
      await page.getByText('6 animals imported.').waitFor()
      expect((await store.send<unknown[]>('GET', '/pets?q=2&status=sold')).length).toBe(1)
      const [latest] = await store.send<{ id: number }[]>('GET', '/imports?order=desc&limit=1')
      await store.send('DELETE', `/imports/${latest?.id}`)

      // A list with profiles changes its animals when it comes again.
      await page.getByRole('button', { name: 'Import another file' }).click()
      await choose(page, 'list.csv', list('Beagle'))
      await samples(page, 'Breed').getByText('Beagle').waitFor()
      await column(page, 'Dates such as 03/04/2024').selectOption('begin with the day')
      await page.getByText('Not used: Kennel.').waitFor()
      await page.getByLabel('Keep the other columns as facts').check()
      await expectAccessible(page)
      await check(page)
      await page.getByText('2 new animals').waitFor()
      await page.getByText('Some values cannot be read and are left out: 1 problem').waitFor()
      await expectAccessible(page)
      await page.getByRole('button', { name: 'Import 2 animals' }).click()
      await page.getByText('2 animals imported.').waitFor()
      expect(await profileOf('A1')).toMatchObject({
        breed: 'Beagle',
        birthDate: '2024-04-03',
        price: 1_250,
        attributes: [{ label: 'Kennel', text: 'North' }],
      })

      await page.getByRole('button', { name: 'Import another file' }).click()
      await choose(page, 'list.csv', list('Harrier'))
      await check(page)
      await page.getByText('2 already there.').waitFor()
      expect(await page.getByRole('button', { name: 'Nothing to import' }).isDisabled()).toBe(true)
      await page.getByRole('button', { name: 'Back' }).click()
      await column(page, 'An animal whose number you already have').selectOption('is changed by the file')
      await check(page)
      await page.getByRole('button', { name: 'Change 1 animal' }).click()
      await page.getByText('0 animals imported, 1 changed.').waitFor()
      expect(await profileOf('A1')).toMatchObject({ breed: 'Harrier' })
      await page.getByRole('button', { name: 'Undo import of list.csv' }).first().click()
      await page.getByRole('dialog').getByRole('button', { name: 'Undo import' }).click()
      await page.getByText('1 animal is as before.').waitFor()
      expect(await profileOf('A1')).toMatchObject({ breed: 'Beagle' })
    })
  },
)

browserTest('14,001 animals are imported, and each can be found', async () => {
  const rows = Array.from({ length: 14_001 }, (_, index) => `Animal ${index + 1},Dog`)
  const all = (await count()) + rows.length
  await store.withPage('/animals/import', async (page) => {
    await choose(page, 'many.csv', `name,category\n${rows.join('\n')}\n`)
    await allAvailable(page)
    await check(page)
    await page.getByRole('button', { name: 'Import 14,001 animals' }).click()
    await page.getByText('14,001 animals imported.').waitFor()
    await page.getByRole('link', { name: 'Show animals' }).click()
    await page.getByText(`${all.toLocaleString('en')} animals`).waitFor()
    await page.getByRole('row', { name: /Animal 14001/ }).waitFor()
    await page.getByRole('searchbox').fill('animal 13999')
    await page.getByText('1 animal found').waitFor()
    await expectNoSidewaysScrolling(page)
  })
})

browserTest(
  'a dropped folder is rejected; columns, an encoding and a sheet are chosen by hand, on a phone too',
  async () => {
    const folder = emptyFolder()
    const paths = ['a.csv', 'b.csv', 'c.csv'].map((name) => join(folder.path, name))
    for (const path of paths) writeFileSync(path, 'name,category,status\nRex,Dog,sold\n')
    try {
      await store.withPage('/animals/import', async (page) => {
        const field = page.locator('.drop')
        await field.waitFor()
        const { x, y } = (await field.boundingBox()) ?? { x: 0, y: 0 }
        const debug = await page.context().newCDPSession(page)
        // Scripts cannot make the entry of a folder.
        async function drop(files: string[]): Promise<void> {
          for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
            const data = { items: [], files, dragOperationsMask: 1 }
            await debug.send('Input.dispatchDragEvent', { type, x: x + 50, y: y + 50, data })
          }
        }
        await drop([folder.path])
        await page.getByText('This file cannot be read. Choose the file itself, not its folder.').waitFor()
        await expectAccessible(page)
        await drop(paths)
        await page.getByText(/^Only .?a\.csv.? is imported\. Choose .?b\.csv.?, .?c\.csv.? afterwards\.$/).waitFor()

        // Columns are matched by hand where the file leaves a choice, and the check says what it found.
        await choose(page, 'farm.csv', 'name,species,Status\nAda,Dog,sold\nBo,Alpaca,on holiday\nCy,Alpaca,available\n')
        await check(page)
        await page.getByText('2 new animals, 1 needs fixing').waitFor()
        await page.getByText(/^Line 3, Bo: The status "on holiday" is unknown\./).waitFor()
        await page.getByText('This category is new and will be added: Alpaca.').waitFor()

        const excel =
          'sep=;\r\nRufname;Art;Status;Notiz\r\nMüßli;;unklar;5\r\nKäthe "die Große";Hund;;7\r\nBo;Hund;sold;9\r\n'
        await choose(page, 'list.csv', excel)
        await page.getByText('Not used: Notiz.').waitFor()
        await check(page)
        await page.getByText('1 new animal, 2 need fixing').waitFor()
        await page.getByText('2 rows need fixing: 3 problems').waitFor()
        const problems = page.getByRole('list', { name: 'Rows that need fixing' }).getByRole('listitem')
        expect(await problems.allTextContents()).toEqual([
          'Line 3, Müßli: The category is missing.',
          'Line 3, Müßli: The status "unklar" is unknown. Write available, pending or sold.',
          'Line 4, Käthe "die Große";Hund;;7: A text contains a quotation mark ("). Remove it, or save the file as CSV in your spreadsheet program.',
        ])

        await choose(page, 'unicode.csv', 'Näme 名前,Sort,Sort\nÅsa,x,Hamster\n')
        await page.getByText('Choose the columns of the name and of the category.').waitFor()
        await column(page, 'Name').selectOption('Näme 名前')
        await column(page, 'Category').selectOption({ value: '3' })
        await samples(page, 'Category').getByText('Hamster').waitFor()
        await allAvailable(page)
        await page.getByText('Not used: Sort.').waitFor()
        await column(page, 'Status').selectOption({ value: '3' })
        await page.getByText('Choose another column: this one is used twice.').first().waitFor()
        expect(await page.getByRole('button', { name: 'Check file' }).isDisabled()).toBe(true)
        await expectAccessible(page)
        await allAvailable(page)
        await column(page, 'Category').selectOption('One category for all')
        await column(page, 'Category of all animals').fill('Alpaca')
        await check(page)
        await page.getByText('This category is new and will be added: Alpaca.').waitFor()

        await choose(page, 'animals.csv', 'id,name,categoryId,category,status\r\n1,Ada,1,Dog,sold\r\n')
        await check(page)
        await page.getByText('This file is the export of a store.').waitFor()
        await expectAccessible(page)

        // An encoding that is not certain, and a sheet, are chosen by their values.
        await page.setViewportSize({ width: 320, height: 640 })
        await choose(page, 'dogs.csv', Buffer.from('Stock list;\n;\nName;Category\nDa\xf0;Dog\n', 'latin1'))
        await page.getByText('Line 3 names the columns: Name;Category.').waitFor()
        await page.getByText('Choose the encoding of the file.').waitFor()
        await expectAccessible(page)
        await expectNoSidewaysScrolling(page)
        await allAvailable(page)
        await column(page, 'Encoding').selectOption('Dağ: Turkish (Windows-1254)')
        await samples(page, 'Name').getByText('Dağ').waitFor()
        await check(page)
        await page.getByRole('button', { name: 'Import 1 animal' }).waitFor()
        await expectNoSidewaysScrolling(page)

        const book = utils.book_new()
        utils.book_append_sheet(book, utils.aoa_to_sheet([['Prices'], ['12']]), 'Prices')
        utils.book_append_sheet(
          book,
          utils.aoa_to_sheet([
            ['Name', 'Category', 'Status'],
            ['Rex', 'Dog', 'sold'],
          ]),
          'Animals',
        )
        await choose(page, 'stock.xlsx', write(book, { type: 'buffer', bookType: 'xlsx' }))
        await column(page, 'Sheet').selectOption('Animals')
        await samples(page, 'Name').getByText('Rex').waitFor()
        await expectAccessible(page)
        await expectNoSidewaysScrolling(page)
        await check(page)
        await page.getByRole('button', { name: 'Import 1 animal' }).waitFor()
      })
    } finally {
      folder.remove()
    }
  },
)
