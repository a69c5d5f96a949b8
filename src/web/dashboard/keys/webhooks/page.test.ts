import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Locator } from 'playwright-core'
import { eventTypes, typePatterns } from '../../../../access/events/rules.ts'
import { goTo } from '../../../../testing/dashboard/open.ts'
import {
  browserTest,
  dashboardForTests,
  expectAccessible,
  expectNoSidewaysScrolling,
} from '../../../../testing/dashboard/store.ts'
import { eventGroups, singleTypes, stateAdvice, typesWords } from './words.ts'

interface Webhook {
  readonly id: number
  readonly types: readonly string[]
  readonly orders: string
  readonly enabled: boolean
  readonly url: string
}

/** A server that gets the messages; `status` is that of its responses. */
let status = 200
let responseText = 'The disk is <b>full</b>'
let received: { readonly type: string; readonly signatures: number }[] = []
const receiver = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    const { type } = (await request.json()) as { type: string }
    received.push({ type, signatures: (request.headers.get('webhook-signature') ?? '').split(' ').length })
    return new Response(status === 200 ? 'ok' : responseText, { status })
  },
})
const url = `http://127.0.0.1:${receiver.port}/hook`
const store = dashboardForTests({ keepsData: true, args: ['--webhook-network', '127.0.0.0/8'] })

beforeEach(() => {
  status = 200
  received = []
})
afterAll(() => receiver.stop(true))

const add = (description: string, more: object = {}) =>
  store.send<Webhook>('POST', '/webhooks', { url, types: ['pet.*'], description, ...more })
const find = (id: number) => store.send<Webhook>('GET', `/webhooks/${id}`)
const addAnimal = () => store.send<{ id: number }>('POST', '/pets', { name: 'Rex', categoryId: 1 })

test('every type of event has words, and a choice of all types has few', () => {
  expect(eventGroups.flatMap(({ types }) => Object.keys(types)).toSorted()).toEqual([...eventTypes].toSorted())
  expect([...eventGroups.map(({ pattern }) => pattern), ...eventTypes].toSorted()).toEqual([...typePatterns].toSorted())
  expect(singleTypes(['deploy.*', 'order.placed'])).toEqual(['order.placed', 'deploy.live'])
  expect(typesWords(eventGroups.map(({ pattern }) => pattern))).toBe('Everything that happens')
  expect(typesWords(['order.*', 'pet.*'])).toBe('All about orders, animals')
  expect(typesWords(['pet.created', 'order.*', 'a.new_one'])).toBe('All about orders; Animal added; a.new_one')
})

test('a paused webhook says what it waits for', () => {
  expect(stateAdvice('resting', undefined)).toContain('no longer has a key that may use webhooks')
  expect(stateAdvice('resting', 'webhooks_held')).toContain('decide above')
  expect(stateAdvice('resting', 'restored_elsewhere')).toContain('confirm under Settings')
  expect(stateAdvice('working', 'webhooks_held')).toBeUndefined()
})

describe('a webhook', () => {
  browserTest('is added in plain words, its secret is shown once, and a test event reaches it', async () => {
    await store.withPage('/keys/webhooks', async (page, watched) => {
      await page.getByText('No webhooks').waitFor()
      await expectAccessible(page)
      await goTo(page, '/keys/webhooks?webhook=99')
      await page.getByText('This no longer exists').waitFor()
      expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
      watched.removeExpected(/404/)
      await page.getByRole('link', { name: 'Show all webhooks' }).click()
      await page.getByRole('link', { name: 'Add webhook' }).first().click()
      const form = page.getByRole('dialog', { name: 'Add webhook' })
      await form.getByRole('button', { name: 'Add webhook' }).click()
      await form.getByText('Enter an address that begins with https://').waitFor()
      await form.getByLabel('Address').fill('https://me:secret@partner.example/')
      await form.getByRole('button', { name: 'Add webhook' }).click()
      await form.getByText('The address must have no user name or password').waitFor()
      await form.getByLabel('Address').fill('https://10.0.0.1/hook')
      await form.getByRole('button', { name: 'Add webhook' }).click()
      await form.getByText('10.0.0.1 is not on the public internet').waitFor()
      watched.removeExpected(/400 \(Bad Request\)/)
      await expectAccessible(page)
      await form.getByLabel('Address').fill(url)
      await form.getByLabel('Description').fill('Newsletter')
      expect(await form.getByRole('radio', { name: 'Everything about orders' }).isChecked()).toBe(true)
      await form.getByRole('radio', { name: 'Custom' }).check()
      await form.getByRole('checkbox', { name: 'Order cancelled' }).uncheck()
      await form.getByRole('checkbox', { name: 'Animal added' }).check()
      await expectAccessible(page)
      await form.getByRole('button', { name: 'Add webhook' }).click()

      const shown = page.getByRole('dialog', { name: 'The secret of the webhook' })
      const secret = (await shown.locator('pre').first().textContent()) ?? ''
      expect(secret).toMatch(/^whsec_/)
      await expectAccessible(page)
      await page.keyboard.press('Escape')
      await shown.getByText('You have not copied the secret.').waitFor()
      await shown.getByRole('button', { name: 'Copy secret' }).click()
      await shown.getByRole('button', { name: 'Done' }).click()
      await shown.waitFor({ state: 'detached' })
      expect(await page.content()).not.toContain(secret)

      const id = Number(new URL(page.url()).searchParams.get('webhook'))
      const webhook = await find(id)
      expect([...webhook.types].sort().join(' ')).toBe(
        'order.approved order.delivered order.placed order.updated pet.created',
      )
      expect(webhook.orders).toBe('all')
      await page.getByRole('button', { name: 'Send test event' }).click()
      await page.getByText('The test event arrived').waitFor()
      expect(received).toEqual([{ type: 'webhook.test', signatures: 1 }])
      await expectAccessible(page)
      await page.getByRole('link', { name: 'Show all webhooks' }).click()
      await page.getByRole('link', { name: 'Newsletter' }).waitFor()
      await expectAccessible(page)
      await store.send('DELETE', `/webhooks/${id}`)
    })
  })

  browserTest('shows a response as text, and sends a message again', async () => {
    const { id } = await add('Warehouse')
    await store.withPage(`/keys/webhooks?webhook=${id}`, async (page) => {
      await page.getByText('No messages yet').waitFor()
      await addAnimal()
      await page.getByText('Delivered').waitFor()
      await page.getByRole('button', { name: /^Send again: Animal added/ }).click()
      await page.getByText('response 200 after').filter({ hasText: '2 attempts' }).waitFor()
      expect(received.map(({ type }) => type)).toEqual(['pet.created', 'pet.created'])

      status = 500
      await addAnimal()
      await page.getByText('Error and response').click()
      await page.getByText('The disk is <b>full</b>').waitFor()
      await expectAccessible(page)
      await page.getByLabel('Which messages').selectOption('Failed messages')
      await page.waitForURL(`**/webhooks?webhook=${id}&state=failed`)
      await page.getByText('Delivered').waitFor({ state: 'detached' })
      await page.getByRole('button', { name: /^Retry: Animal added/ }).click()
      await page.getByText('“Animal added” is being sent again.').last().waitFor()
      await page.getByRole('button', { name: 'Send test event' }).click()
      await page.getByText('The test event did not arrive').waitFor()
      await expectAccessible(page)
    })
    await store.send('DELETE', `/webhooks/${id}`)
  })

  browserTest('of many messages that fail, those whose time has passed are queued', async () => {
    const { id } = await add('Stockroom')
    status = 500
    await addAnimal()
    await store.withPage(`/keys/webhooks?webhook=${id}`, async (page) => {
      await page.getByText('Failed', { exact: true }).waitFor()
      await page.route('**/deliveries?*', async (route) => {
        const [delivery] = await (await route.fetch()).json()
        await route.fulfill({ json: [{ ...delivery, nextAttemptAt: new Date(Date.now() - 60_000).toISOString() }] })
      })
      await page.getByText('Queued').waitFor()
      await page.unrouteAll({ behavior: 'wait' })
    })
    await store.send('DELETE', `/webhooks/${id}`)
  })

  browserTest('is turned off and on, and the events in between are sent or not', async () => {
    const { id } = await add('Till', { types: ['pet.created'] })
    await store.withPage(`/keys/webhooks?webhook=${id}`, async (page) => {
      await page.getByRole('button', { name: 'Turn off' }).click()
      await page.getByText('Nothing is sent. When you turn it on again').waitFor()
      await addAnimal()
      await page.getByRole('button', { name: 'Turn on' }).click()
      const form = page.getByRole('dialog', { name: /Turn on the webhook/ })
      await form.getByLabel('Events since it was turned off').selectOption('Do not send them')
      await expectAccessible(page)
      await form.getByRole('button', { name: 'Turn on webhook' }).click()
      await page.getByText('Working').waitFor()
      expect((await find(id)).enabled).toBe(true)
      await page.getByText('No messages yet').waitFor()

      await page.getByRole('button', { name: 'More for the webhook Till' }).click()
      await expectAccessible(page)
      await page.getByRole('menuitem', { name: 'Send events again' }).click()
      const replay = page.getByRole('dialog', { name: /again/ })
      await replay.getByLabel('Period').selectOption('Since a day you choose')
      await replay.getByLabel('First day').waitFor()
      await expectAccessible(page)
      await replay.getByRole('button', { name: 'Send events again' }).click()
      await page.getByText(/ will be sent again\./).waitFor()
      await page
        .getByRole('cell', { name: /Animal added/ })
        .first()
        .waitFor()
    })
    await store.send('DELETE', `/webhooks/${id}`)
  })

  browserTest('is changed, gets a new secret, and is deleted after a question', async () => {
    const { id } = await add('Partner')
    await store.withPage(`/keys/webhooks?webhook=${id}`, async (page, watched) => {
      const choose = async (name: string) => {
        await page.getByRole('button', { name: /^More for the webhook/ }).click()
        await page.getByRole('menuitem', { name }).click()
      }
      await choose('Change webhook')
      const form = page.getByRole('dialog', { name: /Change the webhook/ })
      expect(await form.getByLabel('Address').inputValue()).toBe(url)
      await form.getByLabel('Description').fill('Paws & Co.')
      await form.getByRole('radio', { name: 'Everything that happens' }).check()
      await expectAccessible(page)
      await form.getByRole('button', { name: 'Change webhook' }).click()
      await page.getByRole('region', { name: 'Paws & Co.' }).getByText('Everything that happens').waitFor()

      await choose('Create new secret')
      await page
        .getByRole('dialog', { name: /new secret/ })
        .getByRole('button', { name: 'Create new secret' })
        .click()
      await page.getByRole('button', { name: 'Copy secret' }).click()
      await page.getByRole('button', { name: 'Done' }).click()
      await page.getByRole('button', { name: 'Send test event' }).click()
      await page.getByText('The test event arrived').waitFor()
      expect(received.filter(({ type }) => type === 'webhook.test').at(-1)?.signatures).toBe(2)

      await choose('Delete webhook')
      const question = page.getByRole('dialog', { name: /Delete the webhook/ })
      await expectAccessible(page)
      await page.keyboard.press('Escape')
      await question.waitFor({ state: 'detached' })
      await page.waitForFunction(() => document.activeElement?.ariaLabel === 'More for the webhook Paws & Co.')
      await choose('Delete webhook')
      await question.getByRole('button', { name: 'Delete webhook' }).click()
      await page.waitForURL('**/keys/webhooks')
      await page.getByText('The webhook “Paws & Co.” is deleted.').waitFor()
      // What is shown is fetched again after each change, and a part of it may be gone. No request outlives its page.
      await page.goto(`${store.url}/dashboard/keys`)
      watched.removeExpected(/404/)
    })
  })

  browserTest('discards the events on hold only after a question', async () => {
    await store.withPage('/keys/webhooks', async (page) => {
      await page.route('**/v1/overview?*', async (route) => {
        const overview = await (await route.fetch()).json()
        const entry = { kind: 'webhooks_held', id: null, name: null, since: new Date().toISOString(), expiresAt: null }
        await route.fulfill({ json: { ...overview, attention: [entry] } })
      })
      await page.reload()
      const discard = page.getByRole('button', { name: 'Discard pending events' })
      await discard.click()
      const question = page.getByRole('dialog', { name: 'Discard the pending events?' })
      await expectAccessible(page)
      await question.getByRole('button', { name: 'Cancel' }).click()
      await discard.click()
      await question.getByRole('button', { name: 'Discard events' }).click()
      await page.getByText('Pending events are discarded: 0 webhooks resumed.').waitFor()
      await page.unrouteAll({ behavior: 'wait' })
    })
  })

  browserTest('fits a phone, also with a long address and a long response', async () => {
    const long = `${url}?${'x'.repeat(300)}`
    const { id } = await add('A partner with a name that is rather long for a phone', { url: long })
    status = 503
    responseText = 'No. '.repeat(1_000)
    await addAnimal()
    const options = { viewport: { width: 390, height: 844 } }
    await store.withPage(
      `/keys/webhooks?webhook=${id}`,
      async (page) => {
        await page.getByText('Error and response').click()
        expect((await page.locator('pre').boundingBox())?.height).toBeLessThan(300)
        await expectNoSidewaysScrolling(page)
        await expectAccessible(page)
        // A table cuts off what is wider than itself.
        await page.setViewportSize({ width: 320, height: 640 })
        const right = async (locator: Locator) => {
          const { x = 0, width = 0 } = (await locator.boundingBox()) ?? {}
          return x + width
        }
        const retry = page.getByRole('button', { name: /^Retry: / })
        expect(await right(retry)).toBeLessThan(await right(page.getByRole('region', { name: 'Messages' })))
        await page.getByRole('link', { name: 'Show all webhooks' }).click()
        await page.getByRole('link', { name: /A partner with a name/ }).waitFor()
        await expectNoSidewaysScrolling(page)
      },
      options,
    )
    await store.send('DELETE', `/webhooks/${id}`)
  })
})
