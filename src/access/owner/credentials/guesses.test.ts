import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createManualClock } from '../../../lib/clock.ts'
import { openTestDashboard, ownerEmail, type TestDashboard } from '../../../owner/testing/dashboard.ts'
import { createGuesses, type Guess, type Source } from './guesses.ts'

const secondsMs = 1_000

describe('pauses', () => {
  const stranger = (network = '192.0.2.1'): Source => ({ kind: 'stranger', network })

  function create() {
    const clock = createManualClock(0)
    const guesses = createGuesses(clock)
    const guess = (source: Source, end: keyof Guess = 'wrong') => {
      const begun = guesses.begin(source)
      if (typeof begun !== 'number') begun[end]()
      return begun
    }
    const times = (count: number, source: Source) => Array.from({ length: count }, () => guess(source))
    return { clock, guesses, guess, times }
  }
  const isPause = (result: unknown) => typeof result === 'number'

  test('begin with the tenth wrong password in ten minutes, and double up to 15 minutes', () => {
    const { clock, guess, times } = create()
    expect(times(10, stranger()).some(isPause)).toBe(false)
    const pauses: unknown[] = []
    for (let i = 0; i < 7; i++) {
      const seconds = guess(stranger())
      pauses.push(seconds)
      clock.advance(Number(seconds) * secondsMs)
      expect(isPause(guess(stranger()))).toBe(false)
    }
    expect(pauses).toEqual([30, 60, 120, 240, 480, 900, 900])
  })

  test('do not begin for nine wrong passwords in each ten minutes', () => {
    const { clock, times } = create()
    for (let i = 0; i < 5; i++) {
      expect(times(9, stranger()).some(isPause)).toBe(false)
      clock.advance(600_000)
    }
  })

  test('of one address do not affect another, but all strangers together are paused after fifty', () => {
    const { times, guess } = create()
    times(10, stranger('192.0.2.1'))
    expect(isPause(guess(stranger('192.0.2.1')))).toBe(true)
    for (let i = 2; i <= 5; i++) times(10, stranger(`192.0.2.${i}`))
    expect(isPause(guess(stranger('192.0.2.99')))).toBe(true)
    expect(isPause(guess({ kind: 'known', name: 'browser 1' }))).toBe(false)
  })

  test('of a known browser begin with its own ten wrong passwords', () => {
    const { times, guess } = create()
    times(10, { kind: 'known', name: 'browser 1' })
    expect(isPause(guess({ kind: 'known', name: 'browser 1' }))).toBe(true)
    expect(isPause(guess({ kind: 'known', name: 'browser 2' }))).toBe(false)
    expect(isPause(guess(stranger()))).toBe(false)
  })

  test('end with the right password, and an hour after the last wrong one', () => {
    const { clock, times, guess } = create()
    times(10, stranger())
    clock.advance(30_000)
    guess(stranger(), 'right')
    expect(times(9, stranger()).some(isPause)).toBe(false)
    times(1, stranger())
    clock.advance(3_700_000)
    expect(times(9, stranger()).some(isPause)).toBe(false)
  })

  test('count passwords that are being checked, so that many at once do not circumvent them', () => {
    const { guesses } = create()
    const begun = Array.from({ length: 12 }, () => guesses.begin(stranger()))
    expect(begun.map(isPause)).toEqual([...Array(10).fill(false), true, true])
    for (const one of begun) if (typeof one !== 'number') one.cancel()
    expect(isPause(guesses.begin(stranger()))).toBe(false)
  })

  test('do not depend on the system clock', () => {
    const { clock, times, guess } = create()
    times(10, stranger())
    clock.setWall(365 * 86_400_000)
    expect(guess(stranger())).toBe(30)
  })
})

describe('guessing the password', () => {
  let dashboard: TestDashboard
  beforeEach(async () => {
    dashboard = await openTestDashboard()
  })
  afterEach(() => dashboard.close())

  test('is paused with Retry-After, and the owner still signs in with a browser that was used before', async () => {
    const owner = await dashboard.setUp()
    await owner.post('/dashboard/sign-out')
    const stranger = dashboard.browser()
    const results = await Promise.all(Array.from({ length: 12 }, (_, i) => stranger.signIn(ownerEmail, `guess ${i}`)))
    expect(results.map(({ status }) => status).sort()).toEqual([...Array(10).fill(401), 429, 429])
    const paused = await stranger.signIn()
    expect([paused.status, paused.json.code, paused.headers.get('retry-after')]).toEqual([
      429,
      'too_many_guesses',
      '30',
    ])
    expect((await owner.signIn()).status).toBe(200)
    dashboard.clock.advance(30_000)
    expect((await stranger.signIn()).status).toBe(200)
  })

  test('reveals nothing: a wrong e-mail address and a wrong password get the same response', async () => {
    await dashboard.setUp()
    const stranger = dashboard.browser()
    const [email, password] = [
      await stranger.signIn('eve@evil.example'),
      await stranger.signIn(ownerEmail, 'wrong one!'),
    ]
    expect(email.text).toBe(password.text)
    expect(email.json.code).toBe('wrong_credentials')
  })

  test('hashes once for each attempt, whether the e-mail address or the password is wrong', async () => {
    await dashboard.setUp()
    const { counts } = dashboard.app.passwords
    for (const [email, password] of [
      ['eve@evil.example', 'wrong one!'],
      [ownerEmail, 'wrong one!'],
      [ownerEmail, ''],
      ['', ''],
      [ownerEmail.toUpperCase(), 'wrong one!'],
    ] as const) {
      const before = counts.begun
      expect((await dashboard.browser().signIn(email, password)).status).toBe(401)
      expect([email, counts.begun - before]).toEqual([email, 1])
    }
  })

  test('with the current password of a change is paused as well, and ends no session', async () => {
    const owner = await dashboard.setUp()
    for (let i = 0; i < 10; i++) {
      const { status, json } = await owner.post('/dashboard/email', { email: 'b@shop.example', password: 'wrong' })
      expect([status, json.code]).toEqual([403, 'wrong_password'])
    }
    const { status } = await owner.post('/dashboard/password', { password: 'wrong', newPassword: 'long enough!' })
    expect(status).toBe(429)
    expect((await owner.get('/dashboard/session')).status).toBe(200)
  })
})
