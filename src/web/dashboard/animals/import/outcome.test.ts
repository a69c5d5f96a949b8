/** What an import says at its end: about rows beyond the list of the server, and to somebody who has left its page. */

import { expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { notice } from '../../../../testing/dashboard/animals.ts'
import { goTo } from '../../../../testing/dashboard/open.ts'
import { browserTest, dashboardForTests, expectAccessible } from '../../../../testing/dashboard/store.ts'

const store = dashboardForTests()

async function check(page: Page, name: string, text: string): Promise<void> {
  const file = { name, mimeType: 'text/csv', buffer: Buffer.from(text) }
  await page.getByLabel('File with animals').setInputFiles(file)
  await page.getByLabel('Status', { exact: true }).selectOption({ value: 'none' })
  await page.getByRole('button', { name: 'Check file' }).click()
}

browserTest(
  'equal problems share one line, and the download has all their rows, or states how many it has',
  async () => {
    const gaps = (count: number, name = 'Animal') =>
      Array.from({ length: count }, (_, index) => `${name} ${index + 1},`).join('\n')
    await store.withPage('/animals/import', async (page) => {
      const note = page.getByText(/^The download has/)
      async function countDownloaded(): Promise<number> {
        const saved = page.waitForEvent('download')
        await page.getByRole('button', { name: 'Download rows to fix' }).click()
        const text = readFileSync(await (await saved).path(), 'utf8')
        return text.trimEnd().split('\r\n').length - 1
      }
      await check(page, 'some.csv', `name,category\nAda,Dog\n${gaps(2_000)}\n,Cat\n,Dog\n`)
      await page.getByText('1 new animal, 2,002 need fixing').waitFor()
      const problems = page.getByRole('list', { name: 'Rows that need fixing' }).getByRole('listitem')
      expect(await problems.allTextContents()).toEqual([
        '2,000 rows (lines 3, 4, 5, …): The category is missing.',
        '2 rows (lines 2003, 2004): The name is missing.',
      ])
      await expectAccessible(page)
      expect([await countDownloaded(), await note.count()]).toEqual([2_002, 0])
      await page.getByRole('button', { name: 'Back' }).click()
      await page.getByRole('button', { name: 'Choose another file' }).click()
      // The server lists rows until their texts have eight million characters.
      await check(page, 'many.csv', `name,category\nAda,Dog\n${gaps(9_000, 'x'.repeat(1_000))}\n`)
      await page.getByText(/^The download has the first 8,[\d]+ of the 9,000 rows to fix\.$/).waitFor()
      expect(Math.floor((await countDownloaded()) / 1_000)).toBe(8)
      await page.getByRole('button', { name: 'Import 1 animal' }).click()
      await page.getByText('1 animal imported, 9,000 left out.').waitFor()
      await note.waitFor()
    })
  },
)

browserTest('an import whose page is left shows its result at its end', async () => {
  await store.withPage('/animals/import', async (page, watched) => {
    for (const isFailing of [true, false]) {
      const response = Promise.withResolvers<void>()
      await page.route('**/v1/imports?dryRun=false*', async (route) => {
        await response.promise
        if (isFailing)
          await route.fulfill({ status: 503, json: { code: 'storage_unavailable', message: 'Disk full.' } })
        else await route.continue()
      })
      await check(page, 'spring.csv', 'name,category\nBo,Dog\n,Dog\n')
      await page.getByRole('button', { name: 'Import 1 animal' }).click()
      await page.getByText('Adding…').waitFor()
      await page.getByRole('link', { name: 'Animals' }).first().click()
      await page.getByRole('heading', { level: 1, name: 'Animals' }).waitFor()
      response.resolve()
      if (isFailing) await notice(page, /^The import of spring\.csv failed.*Disk full\./).waitFor()
      else await notice(page, 'spring.csv: 1 animal imported, 1 left out.').waitFor()
      await expectAccessible(page)
      await page.unrouteAll()
      await goTo(page, '/animals/import')
    }
    expect(watched.removeExpected(/503/)).toBe(1)
  })
})
