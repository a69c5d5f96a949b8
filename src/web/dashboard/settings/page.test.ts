import { expect } from 'bun:test'
import { isInContainer } from '../../../lib/container.ts'
import { hold } from '../../../testing/dashboard/hold.ts'
import { owner } from '../../../testing/dashboard/open.ts'
import {
  browserTest,
  dashboardForTests,
  expectAccessible,
  expectNoSidewaysScrolling,
} from '../../../testing/dashboard/store.ts'

const store = dashboardForTests({ keepsData: true })

browserTest(
  'a backup is made, verified and downloaded, with the command to restore it, and its schedule can be changed',
  async () => {
    await store.withPage('/settings', async (page, watched) => {
      await page.getByText('No backup yet').waitFor()
      await page.getByRole('button', { name: 'Back up now' }).click()
      await page.getByRole('button', { name: /^Verify backup/ }).click()
      await page.getByText('Undamaged').waitFor()
      await page.getByText(/^Daily backup, /).waitFor()
      await page.getByText(/^Last backup .*, production-scheduled-\d{8}T\d{6}Z\.db$/).waitFor()
      const made = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Make a file to download' }).click()
      expect((await made).suggestedFilename()).toMatch(/^production-\d{8}T\d{6}Z\.tar$/)
      await page.getByText(/^Made on request, /).waitFor()
      const saved = page.waitForEvent('download')
      await page.getByRole('link', { name: /^Download backup production-scheduled/ }).click()
      expect((await saved).suggestedFilename()).toMatch(/^production-scheduled-\d{8}T\d{6}Z\.tar$/)
      await page.getByRole('button', { name: /^Restore backup production-\d/ }).click()
      await page.getByText(/petstore backup restore production-\d{8}T\d{6}Z\.db/).waitFor()
      await page.keyboard.press('Escape')

      // The schedule shows the next backup and the backups that are kept.
      await page.getByText('Every day at 03:15').waitFor()
      await page.getByText('the last 7 days, 4 weeks, 6 months').waitFor()
      await page.getByText(/^Next backup/).waitFor()
      await page.getByRole('button', { name: 'Change schedule' }).click()
      const dialog = page.getByRole('dialog', { name: 'Daily backup' })
      await dialog.getByLabel('Time of day').fill('half past three')
      await dialog.getByLabel('Keep days').fill('14')
      await dialog.getByLabel('Keep weeks').fill('1')
      await expectAccessible(page)
      const save = dialog.getByRole('button', { name: 'Save schedule' })
      await save.click()
      await dialog.getByText('Enter a time such as 03:15, or off.').waitFor()
      watched.removeExpected(/400 \(Bad Request\)/)
      await dialog.getByLabel('Time of day').fill('off')
      await save.click()
      await dialog.waitFor({ state: 'detached' })
      await page.getByText('No backups are made automatically').waitFor()
      await page.getByText('the last 14 days, 1 week, 6 months').waitFor()
      await expectAccessible(page)
      await page.setViewportSize({ width: 320, height: 640 })
      await expectNoSidewaysScrolling(page)
    })
  },
)

browserTest(
  'a busy button has its ring in its middle, also without animations, and the search leads to the button',
  async () => {
    await store.withPage('/settings', async (page) => {
      const button = page.getByRole('button', { name: 'Back up now' })
      for (const reducedMotion of ['reduce', 'no-preference'] as const) {
        await page.emulateMedia({ reducedMotion })
        const request = await hold(page, 'POST', /\/dashboard\/backups\/now$/)
        await button.click()
        await request.sent
        await page.waitForFunction(() => {
          const ring = document.querySelector('.mantine-Loader-root')?.getBoundingClientRect()
          const box = document.querySelector('[data-loading].mantine-Button-root')?.getBoundingClientRect()
          if (ring === undefined || box === undefined) return false
          return Math.abs(ring.top + ring.height / 2 - (box.top + box.height / 2)) < 3
        })
        request.release()
        const finished = page.getByText('The backup is finished')
        await finished.waitFor()
        await page.getByRole('button', { name: 'Close this message' }).click()
        await finished.waitFor({ state: 'detached' })
      }

      await page.setViewportSize({ width: 390, height: 600 })
      await page.getByRole('link', { name: 'Animals' }).click()
      await page.getByRole('heading', { level: 1, name: 'Animals' }).waitFor()
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Search pages, actions and animals' }).fill('Back up')
      await page.getByRole('option', { name: 'Back up now' }).click()
      await button.waitFor()
      const { y = 0 } = (await button.boundingBox()) ?? {}
      expect(y).toBeGreaterThan(0)
      expect(y).toBeLessThan(600)
    })
  },
)

browserTest('the page says how to make the store a service, and leads to the licences of its packages', async () => {
  await store.withPage('/settings', async (page) => {
    const address = await page.getByRole('link', { name: 'Third-party licences' }).getAttribute('href')
    const response = await fetch(new URL(address ?? '', store.url))
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(response.headers.get('cache-control')).toContain('immutable')
    const text = await response.text()
    for (const name of ['@mantine/core', 'react', 'elysia'])
      expect(text).toMatch(new RegExp(`^${name} \\d.*\\(MIT\\)$`, 'm'))
    expect(text).toContain('Permission is hereby granted, free of charge')

    const section = page.getByRole('region', { name: 'This machine' })
    // The tests may run in a container themselves.
    if (isInContainer()) return await section.getByText('The store runs in a container').waitFor()
    await section.getByText('The store was started by hand').waitFor()
    await section.getByText(/^sudo .*petstore.* service install$/).waitFor()
    await section.getByRole('button', { name: 'Copy command to install' }).waitFor()
  })
})

browserTest(
  'e-mail and password are changed with the current password only, and are valid after signing out everywhere',
  async () => {
    await store.withPage('/settings', async (page, watched) => {
      await page.getByRole('button', { name: 'Change e-mail' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('New e-mail').fill('ada@example.com')
      await dialog.getByRole('button', { name: 'Change e-mail' }).click()
      await dialog.getByText('Enter your password.').waitFor()
      await dialog.getByRole('textbox', { name: 'Your password' }).fill('a file pasted by mistake '.repeat(2_400))
      await dialog.getByRole('button', { name: 'Change e-mail' }).click()
      await dialog.getByText('This is not your password.').waitFor()
      await dialog.getByRole('textbox', { name: 'Your password' }).fill('not this one')
      await dialog.getByRole('button', { name: 'Change e-mail' }).click()
      await dialog.getByText('This is not your password.').waitFor()
      await expectAccessible(page)
      await dialog.getByRole('textbox', { name: 'Your password' }).fill(owner.password)
      await dialog.getByRole('button', { name: 'Change e-mail' }).click()
      await page.getByText('ada@example.com', { exact: true }).waitFor()

      await page.getByRole('button', { name: 'Change password' }).click()
      await dialog.getByRole('textbox', { name: 'Current password' }).fill(owner.password)
      await dialog.getByRole('textbox', { name: 'New password' }).fill('short')
      await dialog.getByRole('button', { name: 'Change password' }).click()
      await dialog.getByText('Use at least 10 characters.').waitFor()
      await expectAccessible(page)
      await dialog.getByRole('textbox', { name: 'New password' }).fill(`${owner.password} again`)
      await dialog.getByRole('button', { name: 'Change password' }).click()
      await page.getByText('Your password is changed.').waitFor()
      expect(watched.removeExpected(/403/)).toBe(1)

      // Signing out everywhere ends this session too.
      await page.getByText('This device').waitFor()
      await page.getByRole('button', { name: 'Sign out everywhere' }).click()
      await expectAccessible(page)
      await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click()
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
      await page.getByText('Forgot your password?').click()
      await page.getByText(/ owner reset --data \/\S+$/).waitFor()
      await page.getByLabel('E-mail').fill('ada@example.com')
      await page.getByRole('textbox', { name: 'Password' }).fill(`${owner.password} again`)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
      watched.removeExpected(/401/)
    })
  },
)
