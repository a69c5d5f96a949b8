/**
 * Takes the screenshots in the README and the guide, docs/swagger-ui.png, docs/dashboard-*.png and docs/web-shop*.png,
 * from the executable:
 *
 *     scripts/build.sh && . scripts/bun.sh && bun scripts/screenshots.ts
 */

import { fileURLToPath } from 'node:url'
import { closeBrowser, withPage } from '../src/testing/browser.ts'
import { startDashboard } from '../src/testing/dashboard/store.ts'
import { createWorkspace, emptyFolder, startPetstoreProcess } from '../src/testing/executable.ts'

const picture = fileURLToPath(new URL('../docs/swagger-ui.png', import.meta.url))

const folder = emptyFolder()
// The screenshot shows the port: use the default one.
const store = await startPetstoreProcess(['--ephemeral', '--port', '8080'], { cwd: folder.path })
try {
  const { url, key = '' } = store.ready
  await withPage(
    url,
    async ({ page, complaints }) => {
      await page.goto(`${url}/docs`)
      await page.getByRole('button', { name: 'Authorize' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Paste your API key').fill(key)
      await dialog.getByRole('button', { name: 'Authorize' }).click()
      await dialog.waitFor({ state: 'detached' })
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
    },
    { viewport: { width: 1280, height: 960 } },
  )
} finally {
  await store.stop()
  folder.remove()
}

const pictureOf = (name: string) => fileURLToPath(new URL(`../docs/dashboard-${name}.png`, import.meta.url))

const hosting = ['--platform-domain', 'shop.example', '--public-host', '127.0.0.1', '--http-port', '0']
// Nothing responds to queries there: the pictures need no network.
const dns = ['--dns-resolver', '127.0.0.1:9', '--allow-private-addresses', '--public-address', '127.0.0.1']
const dashboard = await startDashboard({
  keepsData: true,
  hasDemo: true,
  args: [...hosting, ...dns, '--https-port', 'off', '--trusted-proxy', '127.0.0.1/32'],
})
try {
  const { id } = await dashboard.send<{ id: number }>('POST', '/projects', { name: 'Storefront', accountId: 1 })
  // The first steps are done: the overview has room for its chart.
  await dashboard.send('POST', '/keys', { name: 'Website', accountId: 1, scopes: ['pets:read'] })
  const options = { viewport: { width: 1280, height: 800 }, colorScheme: 'light' } as const
  await dashboard.withPage(
    `/projects/${id}`,
    async (page) => {
      await page
        .getByLabel('Archive or files of the website')
        .setInputFiles({ name: 'index.html', mimeType: 'text/html', buffer: Buffer.from('<h1>Paws & Co.</h1>') })
      await page.getByText('1 file published.').waitFor()
      await dashboard.send('POST', `/projects/${id}/domains`, { hostname: 'www.paws-and-co.example' })
      await page.goto(`${dashboard.url}/dashboard/projects/${id}/domains/www.paws-and-co.example`)
      await page.getByRole('region', { name: 'Records' }).waitFor()
      await page.waitForTimeout(1_000)
      await page.screenshot({ path: pictureOf('domains') })
    },
    options,
  )
  const phone = { ...options, viewport: { width: 390, height: 844 } }
  for (const [path, name, screen] of [
    ['/', 'overview', options],
    ['/animals', 'animals', options],
    ['/animals/295', 'animal', options],
    ['/animals', 'phone', phone],
  ] as const) {
    await dashboard.withPage(
      path,
      async (page) => {
        // The chart is drawn after its script is loaded, and photos are shown when they are.
        await page.waitForTimeout(1_500)
        await page.screenshot({ path: pictureOf(name) })
      },
      screen,
    )
  }
} finally {
  await dashboard.stop()
}

const workspace = createWorkspace()
try {
  await workspace.run('demo')
  const { ready } = await workspace.serve(['--platform-domain', 'shop.localhost'])
  const { out } = await workspace.run('keys', 'create', '--name', 'Pictures', '--scope', 'admin', '--json')
  const response = await fetch(`${ready.url}/v1/store/website`, {
    method: 'PUT',
    headers: { Authorization: `Bearer ${JSON.parse(out).key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      ...{ kind: 'shop', name: 'Paws & Co.', language: 'en', tagline: 'Healthy animals from our region' },
      ...{ phone: '+49 30 123456', email: 'hello@paws.example', about: 'A small shop.' },
    }),
  })
  const { url } = (await response.json()) as { readonly url: string }
  for (const [name, width, height] of [
    ['web-shop', 1280, 800],
    ['web-shop-animal', 390, 844],
  ] as const) {
    await withPage(
      url,
      async ({ page }) => {
        await page.goto(url)
        if (name === 'web-shop-animal') await page.locator('.card').nth(1).click()
        await page.waitForLoadState('networkidle')
        await page.screenshot({ path: fileURLToPath(new URL(`../docs/${name}.png`, import.meta.url)) })
      },
      { viewport: { width, height } },
    )
  }
} finally {
  await workspace.close()
}
await closeBrowser()
