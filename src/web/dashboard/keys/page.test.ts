import { describe, expect } from 'bun:test'
import { goTo } from '../../../testing/dashboard/open.ts'
import { browserTest, dashboardForTests, expectAccessible } from '../../../testing/dashboard/store.ts'

interface Key {
  readonly id: number
  readonly accountId: number
  readonly name: string
  readonly scopes: readonly string[]
  readonly expiresAt: string | null
  readonly revokedAt: string | null
  readonly lastUsedAt: string | null
}

const store = dashboardForTests()

const dayMs = 86_400_000
const issue = (name: string, rest: object = {}) =>
  store.send<Key & { key: string }>('POST', '/keys', { name, scopes: ['pets:read'], ...rest })
const find = async (name: string) =>
  (await store.send<Key[]>('GET', '/keys?limit=100')).filter((key) => key.name === name)
/** Uses are saved once a second. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await Bun.sleep(50)
}
const uses = (key: string) => fetch(`${store.url}/v1/pets`, { headers: { Authorization: `Bearer ${key}` } })

describe('a key', () => {
  browserTest('is created in plain words, shown once, and not closed unread without a question', async () => {
    await store.withPage('/keys', async (page) => {
      await page.getByRole('link', { name: 'Create key', exact: true }).click()
      const form = page.getByRole('dialog', { name: 'Create key' })
      await form.getByRole('button', { name: 'Create key' }).click()
      await form.getByText('Enter a name').waitFor()
      await expectAccessible(page)
      await form.getByText('A partner cannot sign in here with it').waitFor()
      const read = 'See animals, and the orders and websites of its account'
      await form.getByLabel('Name').fill('Paws & Co.')
      expect(await form.getByRole('radio', { name: 'See animals', exact: true }).isChecked()).toBe(true)
      await form.getByRole('radio', { name: read }).check()
      await form.getByText('It does not see the orders and websites of other accounts').waitFor()
      await form.getByLabel('Expires').selectOption('In 30 days')
      await form.getByRole('button', { name: 'Create key' }).click()

      const shown = page.getByRole('dialog', { name: 'Your new key' })
      const secret = (await shown.locator('pre').first().textContent()) ?? ''
      expect((await uses(secret)).status).toBe(200)
      const details = (await shown.locator('pre', { hasText: 'Address: ' }).textContent()) ?? ''
      for (const part of [`Address: ${store.url}/v1`, `${store.url}/docs`, 'until ', 'see animals and categories']) {
        expect(details).toContain(part)
      }
      expect(details).not.toContain(secret)
      await shown.getByText('Try the key in a terminal').click()
      await expectAccessible(page)
      await page.keyboard.press('Escape')
      await shown.getByText('You have not copied the key.').waitFor()
      await shown.getByRole('button', { name: 'Copy key' }).click()
      await shown.getByRole('button', { name: 'Done' }).click()
      await shown.waitFor({ state: 'detached' })
      expect(await page.content()).not.toContain(secret)

      const [key] = await find('Paws & Co.')
      expect(key?.scopes).toEqual(['pets:read', 'orders:read', 'projects:read'])
      expect(Math.round((Date.parse(key?.expiresAt ?? '') - Date.now()) / dayMs)).toBe(30)
      await page.getByRole('cell', { name: read, exact: true }).waitFor()
    })
  })

  browserTest('with custom permissions is created for an account, and may be half typed in between', async () => {
    await store.withPage('/keys', async (page) => {
      await page.getByRole('link', { name: 'Create key for Store' }).click()
      const form = page.getByRole('dialog', { name: 'Create key' })
      await form.getByLabel('Name').fill('Till')
      await form.getByRole('radio', { name: 'Custom' }).check()
      const last = form.getByRole('checkbox', { name: /Everything, including keys/ })
      const isInView = (box: Element) =>
        document.elementFromPoint(box.getBoundingClientRect().x + 4, box.getBoundingClientRect().y + 4) === box
      expect(await last.evaluate(isInView)).toBe(true)
      const button = await form.getByRole('button', { name: 'Create key' }).boundingBox()
      expect((button?.y ?? 9_999) + (button?.height ?? 0)).toBeLessThanOrEqual(page.viewportSize()?.height ?? 0)
      await form.getByRole('checkbox', { name: /See, approve, deliver and cancel all orders/ }).check()
      await expectAccessible(page)
      await form.getByRole('button', { name: 'Create key' }).click()
      await page.getByText('Try the key in a terminal').click()
      await page.getByRole('button', { name: 'Copy command' }).click()
      await page.getByRole('button', { name: 'Done' }).click()
      expect((await find('Till'))[0]?.scopes).toContain('orders:manage')
      await page.getByRole('region', { name: 'Store', exact: true }).getByText('Till').waitFor()

      // One that is half typed is still there after Esc, and gone after "Cancel".
      await goTo(page, '/keys?create=1')
      await form.getByLabel('Name').fill('Half a partner')
      await form.getByLabel('Expires').selectOption('In 90 days')
      await page.keyboard.press('Escape')
      await form.waitFor({ state: 'detached' })
      await page.getByRole('link', { name: 'Create key', exact: true }).click()
      expect(await form.getByLabel('Name').inputValue()).toBe('Half a partner')
      expect(await form.getByLabel('Expires').inputValue()).toBe('90')
      await form.getByRole('button', { name: 'Cancel' }).click()
      await form.waitFor({ state: 'detached' })
      await page.getByRole('link', { name: 'Create key', exact: true }).click()
      expect(await form.getByLabel('Name').inputValue()).toBe('')
    })
  })

  browserTest('is created above the list of one account, which stays the list of that or of the new one', async () => {
    const { id } = await store.send<{ id: number }>('POST', '/accounts', { name: 'Filtered' })
    await store.withPage(`/keys?of=${id}`, async (page) => {
      const form = page.getByRole('dialog', { name: 'Create key' })
      for (const name of ['Create key', 'Create key for Filtered']) {
        await page.getByRole('link', { name, exact: true }).click()
        await form.getByRole('button', { name: 'Cancel' }).click()
        await form.waitFor({ state: 'detached' })
        expect(page.url()).toBe(`${store.url}/dashboard/keys?of=${id}`)
        await page.getByRole('region', { name: 'Filtered' }).waitFor()
      }
      await page.getByRole('link', { name: 'Create key', exact: true }).click()
      await form.getByLabel('Name').fill('Somebody new')
      await form.getByRole('button', { name: 'Create key' }).click()
      await page.getByRole('button', { name: 'Copy key' }).click()
      await page.getByRole('button', { name: 'Done' }).click()
      await page.getByRole('region', { name: 'Somebody new' }).waitFor()
      expect(page.url()).toBe(`${store.url}/dashboard/keys?of=${(await find('Somebody new'))[0]?.accountId}`)
    })
  })

  browserTest('is revoked after a question that names account, use and permissions', async () => {
    const { key } = await issue('Old partner')
    await uses(key)
    await store.withPage('/keys', async (page) => {
      await page.getByRole('button', { name: 'More for the key Old partner' }).click()
      await expectAccessible(page)
      await page.getByRole('menuitem', { name: 'Revoke key' }).click()
      const question = page.getByRole('dialog', { name: /Revoke the key/ })
      await question.getByText('See animals and categories').waitFor()
      await expectAccessible(page)
      await question.getByRole('button', { name: 'Revoke key' }).click()
      await question.waitFor({ state: 'detached' })
      expect((await uses(key)).status).toBe(401)
      await page.getByRole('switch', { name: 'Show revoked and expired keys' }).check()
      await page.getByRole('region', { name: 'Old partner' }).getByText('Revoked').waitFor()
    })
  })

  browserTest('that was lost before it was used ends when it is replaced, a used one when the owner says', async () => {
    const lost = await issue('Lost')
    const { key } = await issue('Website')
    await uses(key)
    await until(async () => (await find('Website'))[0]?.lastUsedAt !== null)
    await store.withPage('/keys', async (page) => {
      await page.getByRole('button', { name: 'More for the key Lost' }).click()
      await page.getByRole('menuitem', { name: 'Replace key (roll)' }).click()
      const dialog = page.getByRole('dialog', { name: 'Replace the key “Lost”' })
      await dialog.getByText('nothing depends on it').waitFor()
      await dialog.getByRole('button', { name: 'Replace key' }).click()
      await page.getByRole('button', { name: 'Copy key' }).click()
      expect((await uses(lost.key)).status).toBe(401)
      await page.getByRole('button', { name: 'Done' }).click()

      await page.getByRole('button', { name: 'More for the key Website' }).click()
      await page.getByRole('menuitem', { name: 'Replace key (roll)' }).click()
      const ends = page.getByLabel('The old key stops working')
      expect(await ends.inputValue()).toBe('86400')
      await ends.selectOption('At once')
      await expectAccessible(page)
      await page.getByRole('button', { name: 'Replace key', exact: true }).click()
      const shown = page.getByRole('dialog', { name: 'Your new key' })
      const secret = (await shown.locator('pre').first().textContent()) ?? ''
      expect([(await uses(secret)).status, (await uses(key)).status]).toEqual([200, 401])
      await shown.getByRole('button', { name: 'Copy key' }).click()
      await shown.getByRole('button', { name: 'Done' }).click()
    })
  })

  browserTest('that is blocked, because it sent too much, is reached from the overview and unblocked', async () => {
    const limits = { plan: 'enterprise', perMinute: 1, perDay: 1_000 }
    const { id, key } = await issue('Runaway', limits)
    const codeOf = async () => ((await (await uses(key)).json()) as { code?: string }).code
    // Requests that were in flight when the limit was reached do not count: it takes two seconds.
    while ((await codeOf()) !== 'key_banned') await Bun.sleep(50)
    await store.withPage('/', async (page) => {
      await page
        .getByRole('link', { name: 'Show key: The key “Runaway” is blocked: it sent too many requests' })
        .click()
      await page.waitForURL(`**/keys?key=${id}`)
      const account = page.getByRole('region', { name: 'Runaway' })
      await account.getByText('Blocked').waitFor()
      expect(await page.getByRole('region').count()).toBe(1)
      await account.getByRole('button', { name: 'Unblock key Runaway' }).click()
      await account.getByText('Active', { exact: true }).waitFor()
      expect(await codeOf()).not.toBe('key_banned')
      await page.getByRole('link', { name: 'Show all accounts' }).click()
      await page.getByRole('region', { name: 'Store', exact: true }).waitFor()
    })
  })
})

browserTest('the plan of an account is changed, and Enterprise asks for its limits', async () => {
  await issue('Grower')
  await store.withPage('/keys', async (page) => {
    await page.getByRole('button', { name: 'Change plan of Grower' }).click()
    const dialog = page.getByRole('dialog', { name: 'Plan of Grower' })
    await dialog.getByLabel('Plan').selectOption({ label: 'Enterprise: custom limits' })
    const perMinute = dialog.getByLabel('Requests a minute')
    // Key by key: the field may be empty for a moment, but is not sent like that.
    await perMinute.press('ControlOrMeta+a')
    await perMinute.press('Delete')
    expect(await perMinute.inputValue()).toBe('')
    await dialog.getByRole('button', { name: 'Change plan' }).click()
    await dialog.getByText('Enter a number of at least 1.').waitFor()
    await expectAccessible(page)
    await perMinute.pressSequentially('7')
    await dialog.getByText('Enter a number of at least 1.').waitFor({ state: 'detached' })
    await dialog.getByRole('button', { name: 'Change plan' }).click()
    await page.getByText('Enterprise plan: 7 requests a minute').waitFor()
  })
})

// The last one: the accounts of other tests would be on a later page.
browserTest('many accounts and keys are loaded in pages', async () => {
  const account = await store.send<{ id: number }>('POST', '/accounts', { name: 'Wholesale', plan: 'business' })
  for (let number = 1; number <= 101; number++) {
    await issue(`Till ${String(number).padStart(3, '0')}`, { accountId: account.id })
  }
  for (let number = 1; number <= 20; number++) await store.send('POST', '/accounts', { name: `Shop ${number}` })
  await store.withPage('/keys', async (page) => {
    const section = page.getByRole('region', { name: 'Wholesale' })
    await section.getByText('Till 100').waitFor()
    expect(await section.getByText('Till 101').count()).toBe(0)
    await section.getByRole('button', { name: 'Show more keys of Wholesale' }).click()
    await section.getByText('Till 101').waitFor()
    expect(await page.getByRole('region', { name: 'Shop 20' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Show more accounts' }).click()
    await page.getByRole('region', { name: 'Shop 20' }).waitFor()
  })
})
