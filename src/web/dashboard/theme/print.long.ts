import { describe, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { browserTest, dashboardForTests } from '../../../testing/dashboard/store.ts'

const store = dashboardForTests({ keepsData: true, hasDemo: true })

const onPaper = { viewport: { width: 718, height: 1016 }, colorScheme: 'light' } as const

async function expectNothingToPress(page: Page): Promise<void> {
  for (const bar of ['.masthead', '.side-navigation', '.bottom-navigation']) {
    expect([bar, await page.locator(bar).isVisible()]).toEqual([bar, false])
  }
  // The name of an animal is a button, too.
  expect(await page.getByRole('button', { name: /^(Place|Approve|Cancel|Close|Mark|More|Show)/ }).count()).toBe(0)
}

describe('on paper', () => {
  browserTest('a list has its rows, and nothing to press', async () => {
    await store.withPage(
      '/orders',
      async (page) => {
        await page.getByRole('row', { name: /Order 15/ }).waitFor()
        await page.emulateMedia({ media: 'print' })
        await page.getByRole('row', { name: /Order 15/ }).waitFor()
        await expectNothingToPress(page)
      },
      onPaper,
    )
  })

  browserTest('in landscape, the animals have their columns', async () => {
    await store.withPage(
      '/animals',
      async (page) => {
        await page.getByRole('row', { name: /Lizbeth/ }).waitFor()
        await page.emulateMedia({ media: 'print' })
        const left = async (text: string) => {
          const place = page.getByRole('row').getByText(text, { exact: true }).first()
          return Math.round((await place.boundingBox())?.x ?? -1)
        }
        expect(await left('Lizbeth')).toBe(await left('Name'))
        expect(await left('Dog')).toBe(await left('Category'))
        expect(await left('300')).toBe(await left('ID'))
        await expectNothingToPress(page)
      },
      { ...onPaper, viewport: { width: 1016, height: 718 } },
    )
  })

  browserTest('a page that is shown in the dark scheme is printed in the light one', async () => {
    await store.withPage(
      '/orders',
      async (page) => {
        const scheme = () => page.evaluate(() => document.documentElement.getAttribute('data-mantine-color-scheme'))
        expect(await scheme()).toBe('dark')
        const printed = page.evaluate(
          () =>
            new Promise((resolve) => {
              const read = () => resolve(document.documentElement.getAttribute('data-mantine-color-scheme'))
              addEventListener('beforeprint', read, { once: true })
            }),
        )
        await page.pdf()
        expect(await printed).toBe('light')
        expect(await scheme()).toBe('dark')
      },
      { ...onPaper, colorScheme: 'dark' },
    )
  })

  browserTest('an open order is alone on the page', async () => {
    await store.withPage(
      '/orders/13',
      async (page) => {
        await page.getByRole('dialog').getByText('Collected by the neighbour').waitFor()
        await page.emulateMedia({ media: 'print' })
        expect(await page.locator('.shell').isVisible()).toBe(false)
        const box = await page.getByRole('region', { name: 'History of the order' }).boundingBox()
        expect(box?.x).toBeLessThan(40)
        await expectNothingToPress(page)
      },
      onPaper,
    )
  })

  browserTest(
    'the animals on the screen follow each other without gaps, and a line says where the others are',
    async () => {
      await store.withPage(
        '/animals',
        async (page) => {
          await page
            .getByRole('row', { name: /Mark as sold/ })
            .first()
            .waitFor()
          await page.emulateMedia({ media: 'print' })
          await page.getByText('Only the animals on the screen are printed.').waitFor()
          const rows = await page.locator('.animals-row').count()
          const { height = 0 } = (await page.locator('.animals-body').boundingBox()) ?? {}
          expect(height).toBeLessThan(rows * 120)
          await expectNothingToPress(page)
        },
        onPaper,
      )
    },
  )
})
