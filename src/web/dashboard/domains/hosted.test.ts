import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { hasBrowser } from '../../../testing/browser.ts'
import { goTo, type OpenDashboard, openDashboard } from '../../../testing/dashboard/open.ts'
import { browserTimeoutMs, expectAccessible, expectNoSidewaysScrolling } from '../../../testing/dashboard/store.ts'
import { canRunFakes, type HostingWorld, openHostingWorld, site, statusOf } from '../../../testing/hosting/world.ts'

const canRun = hasBrowser && canRunFakes
if (hasBrowser && !canRunFakes) console.error('SKIPPED: the page of domains needs port 53 for its DNS servers.')

let world: HostingWorld
let dashboard: OpenDashboard
let project: Awaited<ReturnType<HostingWorld['newProject']>>

beforeAll(async () => {
  if (!canRun) return
  world = await openHostingWorld('fakes')
  dashboard = openDashboard(() => world.server.ready.url, world.server.ready.setupUrl ?? '')
  project = await world.newProject('Kiosk')
  await world.until(async () => statusOf(await world.https(`${project.slug}.stores.example`)) === 200)
}, browserTimeoutMs)
afterAll(() => world?.stop())

const hostedTest = (title: string, run: () => Promise<void>) => test.skipIf(!canRun)(title, run, browserTimeoutMs)

const pathOf = (name = '') => `/projects/${project.id}/domains/${name}`

async function add(page: Page, text: string): Promise<void> {
  await page.getByRole('button', { name: 'Add domain' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add domain' })
  await dialog.getByLabel('Domain').fill(text)
  await dialog.getByRole('button', { name: 'Add domain' }).click()
  await dialog.waitFor({ state: 'detached' })
}

/** Waits until the steps have these states, such as `done done now later`. */
async function reachSteps(page: Page, states: string): Promise<void> {
  const steps = page.getByRole('list', { name: 'Steps until the domain is live' })
  await steps.waitFor()
  await page.waitForFunction((expected) => {
    const items = [...document.querySelectorAll('[aria-label="Steps until the domain is live"] li')]
    return items.map((item) => (item as HTMLElement).dataset['state']).join(' ') === expected
  }, states)
}

const whatToDo = (page: Page) => page.getByRole('region', { name: 'What to do' })

describe('a domain', () => {
  hostedTest('goes from records to live while its page is open, and is removed', async () => {
    const name = 'www.kiosk.example'
    await dashboard.withPage(pathOf(), async (page) => {
      await add(page, `https://${name}/`)
      const records = page.getByRole('region', { name: 'Records' })
      await records.getByText(project.cnameTarget).waitFor()

      // The record exists, but leads somewhere else.
      await world.names.change('kiosk.example', ['www 1 CNAME other.stores.example.'])
      await page.getByRole('button', { name: 'Verify', exact: true }).click()
      await reachSteps(page, 'done wrong later later')
      await whatToDo(page).locator('strong').getByText(project.cnameTarget).waitFor()
      await expectAccessible(page)

      // The authority waits, so that the step before its certificate can be seen.
      const { promise, resolve } = Promise.withResolvers<void>()
      const { settings } = world.fake as NonNullable<HostingWorld['fake']>
      settings.beforeResponse = (step) => (step === 'finalize' ? promise : Promise.resolve())
      await world.names.change('kiosk.example', [`www 1 CNAME ${project.cnameTarget}.`])
      await page.getByRole('button', { name: 'Verify', exact: true }).click()
      await reachSteps(page, 'done done now later')
      await page.getByText('Getting a certificate').waitFor()
      await page.getByText('Being issued').waitFor()
      await expectAccessible(page)
      resolve()
      settings.beforeResponse = undefined
      await reachSteps(page, 'done done done done')
      await page.getByText('Live', { exact: true }).first().waitFor()
      await page.getByText(/^until /).waitFor()
      expect(await whatToDo(page).count()).toBe(0)
      expect(statusOf(await world.served(name))).toBe(200)
      const history = page.getByRole('region', { name: 'History' })
      await history.getByText(`${name} leads here`).waitFor()
      await expectAccessible(page)
      await page.setViewportSize({ width: 320, height: 700 })
      await expectNoSidewaysScrolling(page)

      const open = page.getByRole('link', { name: /^Open website/ })
      expect(await open.getAttribute('href')).toBe(`https://${name}`)
      expect(await open.getAttribute('data-variant')).toBe('filled')
      expect(await page.getByRole('button', { name: 'Re-verify' }).getAttribute('data-variant')).toBe('default')

      await page.getByText(`Also add kiosk.example? It will redirect to ${name}.`).waitFor()
      await page.getByRole('button', { name: 'Add kiosk.example' }).click()
      await page.getByRole('region', { name: 'kiosk.example', exact: true }).waitFor()
      await page.getByText(`Visitors are redirected to ${name}`).waitFor()
      await page.getByRole('link', { name: 'All domains' }).click()
      await page.getByRole('link', { name, exact: true }).click()
      await open.waitFor()
      await page.getByRole('note').getByText('kiosk.example has records of its own.').waitFor()
      await world.remove(project.id, 'kiosk.example')
      await records.getByText('These records are correct.').waitFor()
      await page.getByRole('link', { name: new RegExp(`^${name} \\(opens`) }).waitFor()
      await page.getByRole('link', { name: 'All domains' }).click()
      await page.getByRole('row', { name: new RegExp(`${name}.*Live`) }).waitFor()
      await page.getByRole('button', { name: `More for ${name}` }).click()
      await expectAccessible(page)
      await page.getByRole('menuitem', { name: 'Re-verify' }).click()
      await page.getByText(`${name} is checked: live.`).waitFor()
      await page.getByRole('button', { name: `More for ${name}` }).click()
      await page.getByRole('menuitem', { name: 'Remove domain' }).click()
      await page.getByRole('dialog').getByText('no longer reach your website, from this moment on').waitFor()
      await page.getByRole('dialog').getByRole('button', { name: 'Remove domain' }).click()
      await page.getByText('No domain yet').waitFor()
      expect(statusOf(await world.http(name))).toBe(421)
    })
  })

  hostedTest(
    'shows each fault with its fix first, what the servers said on demand, and what the authority said',
    async () => {
      const [name, blocked] = ['sales.kiosk.example', 'blocked.kiosk.example']
      await world.add(project.id, name)
      await world.names.change('kiosk.example', ['sales 1 A 127.0.0.9', 'sales 1 CAA 0 issue "other.example"'])
      await dashboard.withPage(pathOf(name), async (page) => {
        await page.getByRole('button', { name: 'Verify', exact: true }).click()
        await reachSteps(page, 'done wrong later later')
        const items = whatToDo(page)
          .getByRole('listitem')
          .filter({ has: page.locator('strong') })
        await items.nth(1).waitFor()
        expect(await items.count()).toBe(2)
        const address = items.filter({ hasText: '127.0.0.9' })
        expect(await address.locator('strong').textContent()).toContain('CNAME')
        const authority = items.filter({ hasText: 'other.example' })
        expect(await authority.locator('strong').textContent()).toContain('ca.example')
        const evidence = address
          .getByText(/^We asked ns1\.kiosk\.example .* at \d\d:\d\d and got 127\.0\.0\.9\.$/)
          .first()
        expect(await evidence.isVisible()).toBe(false)
        await address.getByText('What the servers said').click()
        await evidence.waitFor()
        await address.getByText(`It should be ${project.cnameTarget}`).waitFor()
        await expectAccessible(page)
        await page.setViewportSize({ width: 320, height: 700 })
        await expectNoSidewaysScrolling(page)
        await page.setViewportSize({ width: 1280, height: 720 })

        // The authority rejects the certificate of another one.
        world.fake?.inject('newOrder', () => ({
          type: 'rejectedIdentifier',
          detail: 'The name is blocked.',
          status: 400,
        }))
        await world.names.change('kiosk.example', [`blocked 1 CNAME ${project.cnameTarget}.`])
        await world.add(project.id, blocked)
        await goTo(page, pathOf(blocked))
        await page.getByRole('region', { name: blocked, exact: true }).waitFor()
        await page.getByRole('button', { name: 'Verify', exact: true }).click()
        await reachSteps(page, 'done done wrong later')
        await page.getByText('No certificate', { exact: true }).waitFor()
        await whatToDo(page).getByText('The name is blocked.').waitFor()
        await page.getByText(/^The next attempt is at /).waitFor()
        await expectAccessible(page)
      })
      for (const one of [name, blocked]) await world.remove(project.id, one)
    },
  )

  hostedTest('is added together with its www name; the main address and HTTPS only are chosen', async () => {
    await world.names.change('kiosk.example', [])
    await dashboard.withPage(pathOf(), async (page) => {
      await page.getByRole('button', { name: 'Add domain' }).click()
      const dialog = page.getByRole('dialog', { name: 'Add domain' })
      await dialog.getByLabel('Domain').fill('kiosk.example')
      expect(await dialog.getByRole('checkbox', { name: 'Add www.kiosk.example too' }).isChecked()).toBe(true)
      await dialog.getByRole('button', { name: 'Add domain' }).click()
      const records = page.getByRole('region', { name: 'Records' })
      for (const type of ['ALIAS', 'TXT']) await records.getByText(type, { exact: true }).first().waitFor()
      await page.getByRole('link', { name: 'All domains' }).click()
      await page.getByRole('row', { name: /^kiosk\.example.*Main address/ }).waitFor()
      await page
        .getByRole('row', { name: /^www\.kiosk\.example.*Redirects to kiosk\.example once that is live/ })
        .waitFor()

      await page.getByRole('link', { name: 'www.kiosk.example' }).click()
      await page.getByLabel('Visitors are redirected to kiosk.example').selectOption('Permanent, also for forms (308)')
      await page.getByText('The redirect is saved.').waitFor()
      await page.getByRole('switch', { name: 'HTTPS only' }).check()
      await page.getByText('Browsers now open www.kiosk.example over HTTPS only.').waitFor()
      expect(await world.domain(project.id, 'www.kiosk.example')).toMatchObject({
        redirect: { to: 'kiosk.example', status: 308 },
        hsts: true,
      })
      await page.getByRole('button', { name: 'Make it the main address' }).click()
      await page.getByText('This is the main address. To change that').waitFor()
      expect(await world.domain(project.id, 'kiosk.example')).toMatchObject({ redirect: { to: 'www.kiosk.example' } })
    })
    for (const name of ['kiosk.example', 'www.kiosk.example']) await world.remove(project.id, name)
  })
})

hostedTest('while the main address is not live, a live domain is offered in its place', async () => {
  const [typo, name] = ['ww.kiosk.example', 'www.kiosk.example']
  await world.names.change('kiosk.example', [`www 1 CNAME ${project.cnameTarget}.`])
  await world.add(project.id, typo)
  await world.add(project.id, name)
  await world.verify(project.id, name)
  await world.reach(project.id, name, 'active')
  await dashboard.withPage(pathOf(), async (page, watched) => {
    await page.getByRole('row', { name: new RegExp(`^${name}.*Redirects to ${typo} once that is live`) }).waitFor()
    await page.getByText(`The main address ${typo} is not live yet.`).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Make it the main address' }).click()
    await page.getByRole('row', { name: new RegExp(`^${typo}.*Redirects to ${name}`) }).waitFor()
    expect(await page.getByRole('note').count()).toBe(0)
    // The heading and the list of projects show where visitors are now.
    await page.getByRole('link', { name: new RegExp(`^${name} \\(opens`) }).waitFor()
    await page.getByRole('link', { name: 'Projects' }).first().click()
    await page
      .getByRole('row', { name: /^Kiosk/ })
      .getByRole('link', { name })
      .waitFor()

    const { accountId } = (await world.call('GET', `/v1/projects/${project.id}`)).json
    const other = (await world.call('POST', '/v1/projects', { name: 'Second shop', accountId })).json
    await world.call('POST', `/v1/projects/${other.id}/deploys`, site('second'))
    await goTo(page, `/projects/${other.id}/domains`)
    await page.getByRole('button', { name: 'Add domain' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add domain' })
    await dialog.getByLabel('Domain', { exact: true }).fill(name)
    await dialog.getByRole('button', { name: 'Add domain' }).click()
    await dialog.getByText(`The project “Kiosk” of this account uses ${name}. Remove it there first.`).waitFor()
    expect(watched.removeExpected(/409/)).toBe(1)
  })
  for (const one of [typo, name]) await world.remove(project.id, one)
})

hostedTest('the page of a project shows its address with the certificate', async () => {
  await dashboard.withPage(`/projects/${project.id}`, async (page) => {
    const address = page.getByRole('region', { name: 'Address' })
    await address.getByRole('link', { name: `https://${project.slug}.stores.example` }).waitFor()
    await address.getByText('Valid', { exact: true }).waitFor()
    await address.getByText(/^until /).waitFor()
    await address.getByText('Kiosk', { exact: true }).waitFor()
    await expectAccessible(page)
    // "Needs attention" leads there for the certificate of the API.
    await goTo(page, '/settings')
    const store = page.getByRole('region', { name: 'Store' })
    await store.getByText('Certificate of the API').waitFor()
    await store.getByText('Valid', { exact: true }).waitFor()
  })
})

// The last one: it restarts the server.
hostedTest(
  'a domain whose records were wrong twice, an hour apart, says that it is live but must be corrected',
  async () => {
    const name = 'drifting.kiosk.example'
    await world.names.change('kiosk.example', [`drifting 1 CNAME ${project.cnameTarget}.`])
    await world.add(project.id, name)
    await world.verify(project.id, name)
    await world.reach(project.id, name, 'active')
    await world.names.change('kiosk.example', ['drifting 1 CNAME other.stores.example.'])
    await world.verify(project.id, name)
    // The first of the two checks was an hour ago.
    world.server.signal('SIGTERM')
    await world.server.process.exited
    const database = new Database(join(world.folder, 'data', 'production.db'), { create: false })
    database.run('UPDATE domains SET drifted_at = drifted_at - 3600000 WHERE hostname = ?', [name])
    database.close()
    await world.restart('SIGTERM')
    await dashboard.withPage(pathOf(name), async (page) => {
      await page.getByRole('button', { name: 'Re-verify' }).click()
      await page.getByText('Live, but records changed').waitFor()
      await reachSteps(page, 'done changed done done')
      await whatToDo(page).locator('strong').getByText(project.cnameTarget).waitFor()
      await page
        .getByRole('region', { name: 'History' })
        .getByText(/wrong in two checks an hour apart/)
        .waitFor()
      expect(statusOf(await world.https(name))).toBe(200)
      await expectAccessible(page)
    })
  },
)
