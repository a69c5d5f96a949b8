import { expect } from 'bun:test'
import { hold } from '../../../testing/dashboard/hold.ts'
import { browserTest, dashboardForTests, expectAccessible } from '../../../testing/dashboard/store.ts'

/** Half a page more than what is offered at once, and one that is found by its name. */
const names = [...Array.from({ length: 30 }, (_, index) => `Customer ${index + 1}`), 'Zoë’s Zoo']

const store = dashboardForTests({}, async () => {
  for (const name of names) await store.send('POST', '/accounts', { name })
})

browserTest('an account is chosen by a part of its name, with few requests', async () => {
  const pet = await store.send<{ id: number }>('POST', '/pets', { name: 'Periwinkle', categoryId: 1 })
  await store.withPage(`/orders?place=1&animal=${pet.id}`, async (page) => {
    let requests = 0
    page.on('request', (request) => {
      if (new URL(request.url()).pathname === '/v1/accounts') requests++
    })
    const dialog = page.getByRole('dialog', { name: 'Place order' })
    const field = dialog.getByRole('combobox', { name: 'Account' })
    await page.waitForFunction(() => document.querySelector<HTMLInputElement>('[role=dialog] [value="Store"]') !== null)
    await field.click()
    await dialog.getByRole('option', { name: 'Customer 1', exact: true }).waitFor()
    expect(await dialog.getByRole('option').count()).toBeLessThanOrEqual(21)
    await expectAccessible(page)
    await field.fill('nobody')
    await dialog.getByRole('option', { name: 'No account has this name.' }).waitFor()
    await field.fill('zoe')
    await dialog.getByRole('option', { name: 'Zoë’s Zoo' }).click()
    expect(await field.inputValue()).toBe('Zoë’s Zoo')
    await field.click()
    // All are offered again, not only the chosen one.
    await dialog.getByRole('option', { name: 'Customer 2', exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await dialog.getByRole('button', { name: 'Place order' }).click()
    const panel = page.getByRole('dialog', { name: /^Order \d+/ })
    await panel.getByText('Zoë’s Zoo').waitFor()
    expect(requests).toBeLessThan(8)
  })
})

browserTest('a typed text replaces a name that arrives while the field has the focus', async () => {
  await store.withPage('/animals', async (page) => {
    const { sent, release } = await hold(page, 'GET', /\/v1\/accounts\/1$/)
    await page.getByRole('link', { name: 'Orders' }).first().click()
    await page.getByRole('link', { name: 'Place order' }).first().click()
    await sent
    const field = page.getByRole('dialog', { name: 'Place order' }).getByRole('combobox', { name: 'Account' })
    await field.click()
    expect(await field.inputValue()).toBe('Account 1')
    release()
    await page.waitForFunction(() => document.querySelector('[role=dialog] [value="Store"]') !== null)
    await page.keyboard.type('zoe')
    expect(await field.inputValue()).toBe('zoe')
  })
})

browserTest('the audit log, the usage and the keys are shown for an account that is searched for', async () => {
  await store.withPage('/keys/audit', async (page) => {
    const field = page.getByRole('combobox', { name: 'Account' })
    expect(await field.inputValue()).toBe('All accounts')
    await field.fill('customer 30')
    await page.getByRole('option', { name: 'Customer 30' }).click()
    await page.waitForURL('**/keys/audit?account=*')
    // The rows of all accounts stay until the response with those of the account.
    await page.getByRole('row', { name: /Customer 29/ }).waitFor({ state: 'detached' })
    await page.getByRole('row', { name: /Customer 30/ }).waitFor()
    expect(await page.getByRole('row').count()).toBe(2)
    await field.click()
    await page.getByRole('option', { name: 'All accounts' }).click()
    await page.waitForURL((url) => url.search === '')
    await page.getByRole('link', { name: 'Usage' }).click()
    await page.getByRole('heading', { name: 'Requests of Store' }).waitFor()
    await page.getByRole('combobox', { name: 'Account' }).fill('zoe')
    await page.getByRole('option', { name: 'Zoë’s Zoo' }).click()
    await page.getByRole('heading', { name: 'Requests of Zoë’s Zoo' }).waitFor()
    await page.getByRole('link', { name: 'Keys', exact: true }).click()
    await page.getByRole('region', { name: 'Customer 1', exact: true }).waitFor()
    await page.getByRole('combobox', { name: 'Account' }).fill('zoe')
    await page.getByRole('option', { name: 'Zoë’s Zoo' }).click()
    await page.getByRole('region', { name: 'Zoë’s Zoo' }).waitFor()
    expect(await page.getByRole('region', { name: /^Customer/ }).count()).toBe(0)
    await page.getByRole('link', { name: 'Show all accounts' }).click()
    await page.getByRole('region', { name: 'Customer 1', exact: true }).waitFor()
  })
})

browserTest('the account of an address is shown by its name, which is fetched after the page is there', async () => {
  const { id } = await store.send<{ id: number }>('POST', '/accounts', { name: 'Far down the list' })
  await store.withPage(`/keys/usage?account=${id}`, async (page) => {
    const field = page.getByRole('combobox', { name: 'Account' })
    await page.getByRole('heading', { name: 'Requests of Far down the list' }).waitFor()
    await page.waitForFunction(() => document.querySelector<HTMLInputElement>('input[role=combobox]')?.value !== '')
    expect(await field.inputValue()).toBe('Far down the list')
    await store.send('PATCH', `/accounts/${id}`, { name: 'Renamed' })
    await page.getByRole('heading', { name: 'Requests of Renamed' }).waitFor()
    expect(await field.inputValue()).toBe('Renamed')
  })
})
