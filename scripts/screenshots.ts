/**
 * Takes the screenshot in the README, docs/swagger-ui.png, from the executable:
 *
 *     scripts/build.sh && bun scripts/screenshots.ts
 */

import { fileURLToPath } from 'node:url'
import { launchBrowser, openPage } from '../src/testing/browser.ts'
import { emptyFolder, startPetstoreProcess } from '../src/testing/executable.ts'

const picture = fileURLToPath(new URL('../docs/swagger-ui.png', import.meta.url))

const folder = emptyFolder()
// The screenshot shows the port: use the default one.
const store = await startPetstoreProcess(['--ephemeral', '--port', '8080'], { cwd: folder.path })
const browser = await launchBrowser()
try {
  const { url, key = '' } = store.ready
  const { page, complaints } = await openPage(browser, url, {
    viewport: { width: 1280, height: 960 },
    colorScheme: 'light',
    reducedMotion: 'reduce',
  })
  await page.goto(`${url}/docs`)
  await page.getByRole('heading', { name: 'Guide' }).click()
  await page.getByRole('button', { name: 'Authorize' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Paste your API key').fill(key)
  await dialog.getByRole('button', { name: 'Authorize' }).click()
  await dialog.getByText('valid for production').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  const createPet = page.locator('#operations-animals-createPet')
  await createPet.locator('.opblock-summary-control').click()
  await createPet.locator('.responses-table').waitFor()
  await page.evaluate(() => {
    ;(document.activeElement as HTMLElement | null)?.blur()
    scrollTo(0, 0)
  })
  // Swagger UI scrolls to the opened operation and expands it in an animation.
  await page.waitForTimeout(1_000)
  await page.evaluate(() => scrollTo(0, 0))
  await page.screenshot({ path: picture })
  if (complaints.length > 0) throw new Error(`The page reported errors:\n${complaints.join('\n')}`)
} finally {
  await browser.close()
  await store.stop()
  folder.remove()
}
