import { describe, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { owner } from '../../../testing/dashboard/open.ts'
import { browserTest, dashboardForTests, expectAccessible } from '../../../testing/dashboard/store.ts'

const store = dashboardForTests()

/** Without a session, the browser itself reports every 401 on the console. */
const unauthorized = /401 \(Unauthorized\)/

const hasFocus = (element: Element) => element === document.activeElement

const password = (page: Page) => page.getByRole('textbox', { name: 'Password' })

describe('setting up', () => {
  browserTest('shows how to get a new link when the link has expired, and a reload does not try it again', async () => {
    await store.withPage(
      '/setup',
      async (page, watched) => {
        await page.goto(`${store.url}/dashboard/setup#token=${'0'.repeat(43)}`)
        await page.getByRole('heading', { name: 'This set-up link no longer works' }).waitFor()
        await page.getByText('Ask the person who set up the store for a new link.').waitFor()
        expect(await page.getByLabel('E-mail').count()).toBe(0)
        await expectAccessible(page)
        await page.reload()
        await page.getByText('This page needs the whole set-up link').waitFor()
        expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
        watched.removeExpected(unauthorized)
      },
      { isSignedOut: true },
    )
  })

  browserTest(
    'is only possible with the link, whose token leaves the address at once and outlives a reload',
    async () => {
      await store.withPage(
        '/setup',
        async (page, watched) => {
          await page.getByText('This page needs the whole set-up link').waitFor()
          await page.getByText('Ask the person who set up the store for a new link.').waitFor()
          await expectAccessible(page)

          await page.goto(store.setupUrl)
          await page.getByRole('button', { name: 'Set up store' }).waitFor()
          await page.getByText('its animals, orders and keys stay as they are').waitFor()
          expect(await page.getByLabel('E-mail').evaluate(hasFocus)).toBe(true)
          expect(page.url()).toBe(`${store.url}/dashboard/setup`)
          await page.getByRole('button', { name: 'Set up store' }).click()
          await page.getByText('Enter an e-mail address').waitFor()
          await page.getByText('Use at least 10 characters.').waitFor()
          await page.reload()
          await page.getByRole('button', { name: 'Set up store' }).waitFor()
          await page.getByLabel('E-mail').fill(owner.email)
          await password(page).fill('short')
          await page.getByRole('button', { name: 'Set up store' }).click()
          await page.getByText('Use at least 10 characters.').waitFor()
          await expectAccessible(page)
          watched.removeExpected(unauthorized)
        },
        { isSignedOut: true },
      )
    },
  )
})

describe('the link of a store that is set up', () => {
  browserTest('leads to the sign-in page, even if the form was open when somebody else used the link', async () => {
    await store.withPage(
      '/setup',
      async (page, watched) => {
        await page.goto(store.setupUrl)
        await page.getByLabel('E-mail').fill(owner.email)
        await password(page).fill(owner.password)
        await store.signIn()
        await page.getByRole('button', { name: 'Set up store' }).click()
        await page.getByRole('heading', { name: 'Your store is set up' }).waitFor()
        expect(watched.removeExpected(/403/)).toBe(1)

        for (const link of [store.setupUrl, `${store.url}/dashboard/setup`]) {
          await page.goto('about:blank')
          await page.goto(link)
          await page.getByRole('heading', { name: 'Your store is set up' }).waitFor()
          expect(await page.getByLabel('E-mail').count()).toBe(0)
        }
        await expectAccessible(page)
        // axe-core passes over letters in the colour of their ground.
        const link = page.getByRole('link', { name: 'Sign in' })
        const colours = await link.evaluate((one) => [
          getComputedStyle(one).color,
          getComputedStyle(one).backgroundColor,
        ])
        expect(colours[0]).not.toBe(colours[1])
        await link.click()
        await page.getByRole('heading', { name: 'Sign in' }).waitFor()
        watched.removeExpected(unauthorized)
      },
      { isSignedOut: true },
    )
  })
})

describe('signing in', () => {
  browserTest(
    'rejects a wrong password in the same words as a wrong address, then opens the page that was requested',
    async () => {
      await store.signIn()
      await store.withPage(
        '/animals?status=sold',
        async (page, watched) => {
          expect(await page.getByLabel('E-mail').evaluate(hasFocus)).toBe(true)
          await page.getByRole('button', { name: 'Sign in' }).click()
          await page.getByText('Enter the e-mail address').waitFor()
          const message = page.getByText('The e-mail address or the password is wrong. Check both, then try again.')
          for (const [email, text] of [
            [owner.email, 'not the password'],
            ['somebody@else.example', 'not the password'],
            [owner.email, 'a whole file that was pasted by mistake '.repeat(1_500)],
          ] as const) {
            await page.getByLabel('E-mail').fill('')
            await page.getByRole('button', { name: 'Sign in' }).click()
            await message.waitFor({ state: 'detached' })
            await page.getByLabel('E-mail').fill(email)
            await password(page).fill(text)
            await page.getByRole('button', { name: 'Sign in' }).click()
            await message.waitFor()
          }
          await expectAccessible(page)
          await page.getByText('Forgot your password?').click()
          await page.getByText('Ask the person who set up the store for a new link.').waitFor()
          await page.getByLabel('E-mail').fill(owner.email)
          await password(page).fill(owner.password)
          await page.keyboard.press('Enter')
          await page.getByRole('heading', { name: 'Animals' }).waitFor()
          expect(page.url()).toBe(`${store.url}/dashboard/animals?status=sold`)

          await page.getByRole('button', { name: 'Your account' }).click()
          await expectAccessible(page)
          await page.getByRole('menuitem', { name: 'Sign out' }).click()
          await page.getByRole('heading', { name: 'Sign in' }).waitFor()
          await page.reload()
          await page.getByRole('heading', { name: 'Sign in' }).waitFor()
          watched.removeExpected(unauthorized)
        },
        { isSignedOut: true },
      )
    },
  )

  browserTest('again is asked for above an unsaved edit, which is then saved', async () => {
    const pet = await store.send<{ id: number }>('POST', '/pets', { name: 'Foxglove', categoryId: 1 })
    await store.withPage('/animals', async (page, watched) => {
      await page.getByRole('link', { name: 'Foxglove', exact: true }).press('F2')
      await page.getByRole('textbox', { name: 'Name' }).fill('Foxglove saved')
      // The session ends elsewhere, while the edit is open.
      await page.evaluate(() => fetch('/dashboard/sign-out', { method: 'POST' }))
      await page.getByRole('dialog', { name: 'Sign in again' }).waitFor()
      await expectAccessible(page)
      // The address is not asked for, so it is no field to check.
      await password(page).fill('not the password')
      await page.keyboard.press('Enter')
      await page.getByText('This is not the password for the e-mail address above. Try again.').waitFor()
      await password(page).fill(owner.password)
      await page.keyboard.press('Enter')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Foxglove saved')
      await page.getByRole('button', { name: 'Save animal' }).click()
      await page.getByRole('link', { name: 'Foxglove saved', exact: true }).waitFor()
      const found = await store.send<{ name: string }[]>('GET', `/pets?ids=${pet.id}`)
      expect(found[0]?.name).toBe('Foxglove saved')
      watched.removeExpected(unauthorized)
      watched.removeExpected(/ERR_INCOMPLETE_CHUNKED_ENCODING/)
    })
  })

  browserTest('again leaves the focus in its dialog, also after Ctrl K', async () => {
    await store.signIn()
    await store.withPage(
      '/',
      async (page, watched) => {
        await page.getByLabel('E-mail').fill(owner.email)
        await password(page).fill(owner.password)
        await page.keyboard.press('Enter')
        await page.getByRole('heading', { name: 'Overview' }).waitFor()
        await page.keyboard.press('Control+k')
        await page.getByRole('dialog', { name: 'Search' }).waitFor()
        await page.evaluate(() => fetch('/dashboard/sign-out', { method: 'POST' }))
        await page.getByRole('dialog', { name: 'Sign in again' }).waitFor()
        await page.keyboard.press('Control+k')
        await page.keyboard.press('Control+k')
        await page.keyboard.type(owner.password)
        expect(await password(page).inputValue()).toBe(owner.password)
        expect(await page.getByRole('dialog', { name: 'Search' }).count()).toBe(0)
        await page.keyboard.press('Enter')
        await page.getByRole('dialog', { name: 'Search' }).waitFor()
        watched.removeExpected(unauthorized)
        watched.removeExpected(/ERR_INCOMPLETE_CHUNKED_ENCODING/)
      },
      { isSignedOut: true },
    )
  })
})
