/** What an import says at its end: about rows beyond the list of the server, and to somebody who has left its page. */

import { expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { notice } from '../../../testing/dashboard/animals.ts'
import { browserTest, expectAccessible } from '../../../testing/dashboard/store.ts'
import { dashboardForTests } from '../../../testing/dashboard/suite.ts'

const store = dashboardForTests()

async function check(page: Page, name: string, text: string): Promise<void> {
  const file = { name, mimeType: 'text/csv', buffer: Buffer.from(text) }
  await page.getByLabel('File with animals').setInputFiles(file)
  await page.getByRole('button', { name: 'Check file' }).click()
}

browserTest('a download of fewer rows than need fixing says how many it has', async () => {
  const rows = Array.from({ length: 10_200 }, (_, index) => `Animal ${index + 1},`)
  await store.withPage('/animals/import', async (page) => {
    await check(page, 'gaps.csv', `name,category\nAda,Dog\n${rows.join('\n')}\n`)
    await page.getByText('1 new animal, 10,200 need fixing').waitFor()
    await page.getByText('And 10,180 more.').waitFor()
    const note = page.getByText('The download has the first 10,000 of the 10,200 rows to fix.')
    await note.waitFor()
    await expectAccessible(page)
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download rows to fix' }).click()
    expect(
      readFileSync(await (await saved).path(), 'utf8')
        .trimEnd()
        .split('\r\n'),
    ).toHaveLength(10_001)
    await page.getByRole('button', { name: 'Import 1 animal' }).click()
    await page.getByText('1 animal imported, 10,200 left out.').waitFor()
    await note.waitFor()
  })
})

browserTest('an import whose page is left says at its end what it has done', async () => {
  await store.withPage('/animals/import', async (page, watched) => {
    for (const isFailing of [true, false]) {
      const held = Promise.withResolvers<void>()
      await page.route('**/v1/imports?dryRun=false*', async (route) => {
        await held.promise
        if (isFailing)
          await route.fulfill({ status: 503, json: { code: 'storage_unavailable', message: 'Disk full.' } })
        else await route.continue()
      })
      await check(page, 'spring.csv', 'name,category\nBo,Dog\n,Dog\n')
      await page.getByRole('button', { name: 'Import 1 animal' }).click()
      await page.getByText('Importing…').waitFor()
      await page.getByRole('link', { name: 'Animals' }).first().click()
      await page.getByRole('heading', { level: 1, name: 'Animals' }).waitFor()
      held.resolve()
      if (isFailing) await notice(page, /^The import of spring\.csv failed.*Disk full\./).waitFor()
      else await notice(page, 'spring.csv: 1 animal imported, 1 left out.').waitFor()
      await expectAccessible(page)
      await page.unrouteAll()
      await page.goto(`${store.url}/dashboard/animals/import`)
    }
    expect(watched.removeExpected(/503/)).toBe(1)
  })
})
