import { expect } from 'bun:test'
import { animalsOf } from '../../../testing/dashboard/animals.ts'
import { browserTest, dashboardForTests } from '../../../testing/dashboard/store.ts'

const store = dashboardForTests()
const { add } = animalsOf(store)
const orders = () => store.send<{ petId: number }[]>('GET', '/store/orders')

browserTest('an animal that is typed over is not ordered, neither with the button nor with Enter', async () => {
  const [quorra, vexx] = [await add('Quorra'), await add('Vexx')]
  await store.withPage(`/orders?place=1&animal=${quorra.id}`, async (page) => {
    const dialog = page.getByRole('dialog', { name: 'Place order' })
    const field = dialog.getByRole('combobox', { name: 'Animal' })
    const chosen = page.locator(`input[role=combobox][value*="Quorra"]`)
    await chosen.waitFor()
    // A click on the field that has the focus already: a typed text replaces the name as well.
    await field.click()
    await page.keyboard.type('Vexx')
    expect(await field.inputValue()).toBe('Vexx')
    await dialog.getByRole('option', { name: /Vexx/ }).waitFor()
    await page.keyboard.press('Enter')
    await dialog.getByText('Choose the animal that is ordered.').waitFor()
    expect(await orders()).toEqual([])
    await field.fill('quor')
    await dialog.getByRole('option', { name: /Quorra/ }).click()
    await chosen.waitFor()
    await field.fill('Vexx')
    await dialog.getByRole('button', { name: 'Place order' }).click()
    await dialog.getByText('Choose the animal that is ordered.').waitFor()
    expect(await field.inputValue()).toBe('')
    expect(await orders()).toEqual([])
    await field.fill('vexx')
    await dialog.getByRole('option', { name: /Vexx/ }).click()
    await dialog.getByRole('button', { name: 'Place order' }).click()
    await page.getByRole('dialog', { name: /^Order \d+/ }).waitFor()
    expect(await orders()).toMatchObject([{ petId: vexx.id }])
  })
})

for (const { path, title, action, list } of [
  { path: '/keys?create=1&account=1', title: 'Create key', action: 'Create key', list: '/keys?limit=100' },
  { path: '/projects?create=1', title: 'New project', action: 'Create project', list: '/projects' },
]) {
  browserTest(`an account that is typed over is not used: ${title}`, async () => {
    const { id } = await store.send<{ id: number }>('POST', '/accounts', { name: `Customer of ${title}` })
    const made = async () => {
      const all = await store.send<{ name: string; accountId: number }[]>('GET', list)
      return all.flatMap(({ name, accountId }) => (name === 'Typed over' ? [accountId] : []))
    }
    await store.withPage(path, async (page) => {
      const dialog = page.getByRole('dialog', { name: title })
      const field = dialog.getByRole('combobox', { name: 'Account' })
      await dialog.locator('input[role=combobox][value="Store"]').waitFor()
      await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Typed over')
      await field.fill('Customer')
      await dialog.getByRole('button', { name: action }).click()
      await dialog.getByText('Choose an account.').waitFor()
      expect(await made()).toEqual([])
      await field.fill('Customer')
      await dialog.getByRole('option', { name: `Customer of ${title}` }).click()
      await dialog.getByRole('button', { name: action }).click()
      await dialog.waitFor({ state: 'detached' })
      expect(await made()).toEqual([id])
    })
  })
}

browserTest('a filter stays as it is while somebody types another account and chooses none', async () => {
  await store.withPage('/keys/audit?account=1', async (page) => {
    const field = page.getByRole('combobox', { name: 'Account' })
    await page.locator('input[role=combobox][value="Store"]').waitFor()
    await field.fill('Custom')
    await page.getByLabel('Who').focus()
    expect(await field.inputValue()).toBe('Store')
    expect(new URL(page.url()).search).toBe('?account=1')
  })
})
