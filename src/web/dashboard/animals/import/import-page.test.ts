import { expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import {
  browserTest,
  dashboardForTests,
  expectAccessible,
  expectNoSidewaysScrolling,
} from '../../../../testing/dashboard/store.ts'
import { emptyFolder } from '../../../../testing/executable.ts'

const store = dashboardForTests()

const count = async () => (await store.send<{ count: number }>('GET', '/pets/count')).count
const csv = (name: string, bytes: Buffer) => ({ name, mimeType: 'text/csv', buffer: bytes })

browserTest('a file of an older spreadsheet is matched, checked, imported, and undone', async () => {
  await store.withPage('/animals/import', async (page, watched) => {
    const field = page.getByLabel('File with animals')
    await field.setInputFiles(csv('list.xlsx', Buffer.from('PK')))
    await page.getByText('save it as CSV').waitFor()
    await expectAccessible(page)
    await field.setInputFiles({ name: 'index.html', mimeType: 'text/html', buffer: Buffer.from('<!doctype html><p>') })
    await page.getByText('This is a web page').waitFor()
    expect(watched.removeExpected(/400/)).toBe(1)
    // Semicolons, Windows-1252, and a row without a name.
    await field.setInputFiles(
      csv('spring.csv', Buffer.from('Nr;Animal name;Type\n1;Bärbel;Cat\n2;;Dog\n3;Zoé;Dog\n', 'latin1')),
    )
    const samples = page.getByRole('list', { name: 'First values of Name' })
    await samples.getByText('Bärbel').waitFor()
    await expectAccessible(page)
    await page.getByLabel('Category', { exact: true }).selectOption('Nr')
    await page.getByLabel('Category', { exact: true }).selectOption('Type')
    await page.getByRole('button', { name: 'Check file' }).click()
    await page.getByText('2 new animals, 1 needs fixing').waitFor()
    await page.getByText(/^Line 3:/).waitFor()
    await expectAccessible(page)
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download rows to fix' }).click()
    const download = await saved
    expect(download.suggestedFilename()).toBe('to-fix-spring.csv')
    expect(readFileSync(await download.path(), 'utf8')).toContain('2;;Dog;')
    await page.getByRole('button', { name: 'Import 2 animals' }).click()
    await page.getByText('2 animals imported, 1 left out.').waitFor()
    expect(await count()).toBe(2)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Undo import of spring.csv' }).first().click()
    const question = page.getByRole('dialog', { name: 'Undo the import of spring.csv?' })
    await question.getByRole('button', { name: 'Undo import' }).click()
    await page.getByText('2 animals removed.').waitFor()
    expect(await count()).toBe(0)
    const undone = page.getByRole('listitem').filter({ hasText: /, undone \d/ })
    expect(await undone.getByRole('time').count()).toBe(2)
  })
})

browserTest('the check before an import lists new categories, and rows with an unknown status', async () => {
  const text = 'name,species,Status\nAda,Dog,sold\nBo,Alpaca,on holiday\nCy,Alpaca,available\n'
  await store.withPage('/animals/import', async (page) => {
    await page.getByLabel('File with animals').setInputFiles(csv('farm.csv', Buffer.from(text)))
    await page.getByRole('button', { name: 'Check file' }).click()
    await page.getByText('2 new animals, 1 needs fixing').waitFor()
    await page
      .getByText(/^Line 3, Bo: The status "on holiday" is unknown\. Write available, pending or sold\.$/)
      .waitFor()
    await page.getByText('This category is new and will be added: Alpaca.').waitFor()
    await expectAccessible(page)
  })
})

browserTest(
  'the check of an Excel file that begins with its separator shows the number of rows and the unused columns',
  async () => {
    const text =
      'sep=;\r\nRufname;Art;Status;Preis\r\nMüßli;;Quarantäne;5\r\nKäthe "die Große";Hund;;7\r\nBo;Hund;sold;9\r\n'
    await store.withPage('/animals/import', async (page) => {
      await page.getByLabel('File with animals').setInputFiles(csv('list.csv', Buffer.from(text)))
      await page.getByText('Not used: Preis.').waitFor()
      const samples = page.getByRole('list', { name: /^First values of/ }).getByRole('listitem')
      const heights = await samples.evaluateAll((items) => items.map((item) => item.getBoundingClientRect().height))
      expect(heights.length).toBe(9)
      expect(new Set(heights).size).toBe(1)
      await page.getByRole('button', { name: 'Check file' }).click()
      await page.getByText('1 new animal, 2 need fixing').waitFor()
      await page.getByText('3 rows. Not used: Preis.').waitFor()
      const problems = page.getByRole('list', { name: 'Rows that need fixing' }).getByRole('listitem')
      expect(await problems.allTextContents()).toEqual([
        'Line 3, Müßli: The category is missing.',
        'Line 3, Müßli: The status "Quarantäne" is unknown. Write available, pending or sold.',
        'Line 4, Käthe "die Große";Hund;;7: A text contains a quotation mark ("). Remove it, or save the file as CSV in your spreadsheet program.',
      ])
      await expectAccessible(page)
    })
  },
)

browserTest('words of the status are matched, and a missing name comes from another column', async () => {
  const text = 'Nr;Rufname;Tierart;Status\n17;Müßli;Cat;entlaufen\n18;;Dog;ENTLAUFEN\n19;Bo;Dog;weg\n20;Cy;Dog;sold\n'
  await store.withPage('/animals/import', async (page) => {
    await page.getByLabel('File with animals').setInputFiles(csv('words.csv', Buffer.from(text, 'latin1')))
    await page.getByLabel('Name if the first is empty', { exact: true }).selectOption('Nr')
    await page.getByRole('button', { name: 'Check file' }).click()
    await page.getByText('1 new animal, 3 need fixing').waitFor()
    const words = page.getByRole('group', { name: 'What do these words for the status mean?' })
    await words.getByLabel('entlaufen').selectOption('Sold')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Check again' }).click()
    await page.getByText('3 new animals, 1 needs fixing').waitFor()
    expect(await words.getByLabel('entlaufen').inputValue()).toBe('sold')
    await page.getByText('Line 4, Bo: The status "weg" is unknown.').waitFor()
    await page.getByRole('button', { name: 'Import 3 animals' }).click()
    await page.getByText('3 animals imported, 1 left out.').waitFor()
  })
  const { length } = await store.send<{ name: string; status: string }[]>('GET', '/pets?q=18&status=sold')
  expect(length).toBe(1)
  const [latest] = await store.send<{ id: number }[]>('GET', '/imports?order=desc&limit=1')
  await store.send('DELETE', `/imports/${latest?.id}`)
})

browserTest('a file with unknown column names is matched by hand, and names may repeat', async () => {
  const text = 'Näme 名前,Sort,Sort\nÅsa,x,Hamster\n'
  await store.withPage('/animals/import', async (page) => {
    await page.getByLabel('File with animals').setInputFiles(csv('unicode.csv', Buffer.from(text)))
    await page.getByText('Choose the columns of the name and of the category.').waitFor()
    await page.getByLabel('Name', { exact: true }).selectOption('Näme 名前')
    await page.getByLabel('Category', { exact: true }).selectOption({ index: 3 })
    await page.getByRole('list', { name: 'First values of Category' }).getByText('Hamster').waitFor()
    await page.getByText('Not used: Sort.').waitFor()
    await page.getByRole('button', { name: 'Check file' }).click()
    await page.getByText('This category is new and will be added: Hamster.').waitFor()
    await expectAccessible(page)
  })
})

browserTest('one column cannot be both the name and the category', async () => {
  await store.withPage('/animals/import', async (page) => {
    await page.getByLabel('File with animals').setInputFiles(csv('two.csv', Buffer.from('Nom;Art\nRex;Hund\n')))
    const [name, category] = [page.getByLabel('Name', { exact: true }), page.getByLabel('Category', { exact: true })]
    const check = page.getByRole('button', { name: 'Check file' })
    await name.selectOption('Nom')
    await category.selectOption('Nom')
    await page.getByText('Choose another column: this one is used twice.').first().waitFor()
    expect(await check.isDisabled()).toBe(true)
    await expectAccessible(page)
    await category.selectOption('Art')
    await check.click()
    await page.getByText('1 new animal').waitFor()
  })
})

browserTest('the export of a store is imported again only after a warning', async () => {
  const text = 'id,name,categoryId,category,status\r\n1,Ada,1,Dog,sold\r\n'
  await store.withPage('/animals/import', async (page) => {
    await page.getByLabel('File with animals').setInputFiles(csv('animals.csv', Buffer.from(text)))
    await page.getByRole('button', { name: 'Check file' }).click()
    await page.getByText('This file is the export of a store.').waitFor()
    await expectAccessible(page)
  })
})

browserTest('14,001 animals are imported, and each can be found', async () => {
  const rows = Array.from({ length: 14_001 }, (_, index) => `Animal ${index + 1},Dog`)
  await store.withPage('/animals/import', async (page) => {
    await page
      .getByLabel('File with animals')
      .setInputFiles(csv('many.csv', Buffer.from(`name,category\n${rows.join('\n')}\n`)))
    await page.getByRole('button', { name: 'Check file' }).click()
    await page.getByRole('button', { name: 'Import 14,001 animals' }).click()
    await page.getByText('14,001 animals imported.').waitFor()
    await page.getByRole('link', { name: 'Show animals' }).click()
    await page.getByText('14,001 animals').waitFor()
    await page.getByRole('row', { name: /Animal 14001/ }).waitFor()
    await page.getByRole('searchbox').fill('animal 13999')
    await page.getByText('1 animal found').waitFor()
    await expectNoSidewaysScrolling(page)
  })
})

browserTest('a file without column names loses no animal, and an empty file is rejected as empty', async () => {
  const before = await count()
  await store.withPage('/animals/import', async (page, watched) => {
    const field = page.getByLabel('File with animals')
    await field.setInputFiles(csv('blank.csv', Buffer.from('\n \n')))
    await page.getByText('This file is empty.').waitFor()
    expect(watched.removeExpected(/400/)).toBe(1)
    await field.setInputFiles(csv('plain.csv', Buffer.from('Rowan,Dog,available\n,Cat,sold\nHazel,Cat,sold\n')))
    const isNamed = page.getByRole('checkbox', { name: 'The first line has the names of the columns' })
    expect(await isNamed.isChecked()).toBe(false)
    await page.getByText('Choose the columns of the name and of the category.').waitFor()
    await expectAccessible(page)
    await isNamed.check()
    await page
      .getByLabel('Name', { exact: true })
      .locator('option', { hasText: 'Rowan' })
      .waitFor({ state: 'attached' })
    await isNamed.uncheck()
    for (const [label, column] of [
      ['Name', 'Column 1'],
      ['Category', 'Column 2'],
      ['Status', 'Column 3'],
    ] as const)
      await page.getByLabel(label, { exact: true }).selectOption(column)
    await page.getByRole('button', { name: 'Check file' }).click()
    await page.getByText('2 new animals, 1 needs fixing').waitFor()
    await page.getByText(/^Line 2: The name is missing\./).waitFor()
    await page.getByRole('button', { name: 'Import 2 animals' }).click()
    await page.getByText('2 animals imported, 1 left out.').waitFor()
    expect(await count()).toBe(before + 2)
  })
})

browserTest('a dropped folder is rejected with a hint to choose the file', async () => {
  const folder = emptyFolder()
  try {
    await store.withPage('/animals/import', async (page) => {
      const field = page.locator('.drop')
      await field.waitFor()
      const { x, y } = (await field.boundingBox()) ?? { x: 0, y: 0 }
      const data = { items: [], files: [folder.path], dragOperationsMask: 1 }
      const debug = await page.context().newCDPSession(page)
      // Scripts cannot make the entry of a folder.
      for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
        await debug.send('Input.dispatchDragEvent', { type, x: x + 50, y: y + 50, data })
      }
      await page.getByText('This file cannot be read. Choose the file itself, not its folder.').waitFor()
      await expectAccessible(page)
    })
  } finally {
    folder.remove()
  }
})
