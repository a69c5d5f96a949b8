/** Animals in the browser tests: made and found through the API, located on the page. */

import type { Page } from 'playwright-core'
import type { SuiteStore } from './store.ts'

export interface Pet {
  readonly id: number
  readonly name: string
  readonly status: string
}

export function animalsOf(store: SuiteStore) {
  return {
    add: (name: string, rest: object = {}) => store.send<Pet>('POST', '/pets', { name, categoryId: 2, ...rest }),
    find: async (id: number) => (await store.send<Pet[]>('GET', `/pets?ids=${id}`))[0],
    reserve: (petId: number) => store.send<{ id: number }>('POST', '/store/orders', { petId }),
  }
}

export const row = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(name) })
/** The messages at the edge of the window. */
export const notices = (page: Page) => page.locator('.mantine-Notification-root')
export const notice = (page: Page, text: string | RegExp) => notices(page).filter({ hasText: text })
