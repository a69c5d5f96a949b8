/**
 * The pages and their addresses below /dashboard. Each is a directory with a `page.tsx`, is loaded when it is first opened,
 * and handles all addresses that begin with its path.
 */

import { type ComponentType, lazy } from 'react'

const memory = 'petstore-reloaded'

/** The time between two attempts without a connection, in milliseconds. */
const pauseMs = 1_000

const page = (path: string, load: () => Promise<ComponentType>) => ({
  path,
  Component: lazy(reloadingOnce(async () => ({ default: await load() }))),
})

export const pages = [
  page('/', async () => (await import('./overview/page.tsx')).OverviewPage),
  page('/animals/*?', async () => (await import('./animals/page.tsx')).AnimalsPage),
  page('/orders/*?', async () => (await import('./orders/page.tsx')).OrdersPage),
  page('/keys/*?', async () => (await import('./keys/page.tsx')).KeysPage),
  page('/web-shop', async () => (await import('./web-shop/page.tsx')).WebShopPage),
  page('/projects/*?', async () => (await import('./projects/page.tsx')).ProjectsPage),
  page('/settings/*?', async () => (await import('./settings/page.tsx')).SettingsPage),
]

/**
 * Loads a part of the dashboard. If its file is gone, reloads the page, at most once until a part has loaded. Without a
 * connection it waits for one: a reload would replace the page by the browser's error, and lose what was typed.
 */
function reloadingOnce<T>(load: () => Promise<T>): () => Promise<T> {
  return async () => {
    for (;;) {
      try {
        const part = await load()
        sessionStorage.removeItem(memory)
        return part
      } catch (error) {
        if (!(await isServerThere())) {
          await new Promise((resolve) => setTimeout(resolve, pauseMs))
          continue
        }
        if (sessionStorage.getItem(memory) !== null) throw error
        sessionStorage.setItem(memory, 'yes')
        location.reload()
        // The page ends here: nothing is shown in between.
        return new Promise<T>(() => {})
      }
    }
  }
}

const isServerThere = () =>
  fetch('/healthz', { method: 'HEAD', cache: 'no-store' }).then(
    () => true,
    () => false,
  )
