/**
 * The pages and their addresses below /dashboard. Each is a directory with a `page.tsx`, is loaded when it is first opened,
 * and handles all addresses that begin with its path.
 */

import { lazy } from 'react'
import { reloadingOnce } from './shell/reload.ts'

export const pages = [
  {
    path: '/',
    Component: lazy(reloadingOnce(async () => ({ default: (await import('./overview/page.tsx')).OverviewPage }))),
  },
  {
    path: '/animals/*?',
    Component: lazy(reloadingOnce(async () => ({ default: (await import('./animals/page.tsx')).AnimalsPage }))),
  },
  {
    path: '/orders/*?',
    Component: lazy(reloadingOnce(async () => ({ default: (await import('./orders/page.tsx')).OrdersPage }))),
  },
  {
    path: '/keys/*?',
    Component: lazy(reloadingOnce(async () => ({ default: (await import('./keys/page.tsx')).KeysPage }))),
  },
  {
    path: '/projects/*?',
    Component: lazy(reloadingOnce(async () => ({ default: (await import('./projects/page.tsx')).ProjectsPage }))),
  },
  {
    path: '/settings/*?',
    Component: lazy(reloadingOnce(async () => ({ default: (await import('./settings/page.tsx')).SettingsPage }))),
  },
] as const
