import { expect, test } from 'bun:test'
import { createPasswords, TooBusy } from './passwords.ts'

const password = 'correct horse battery'

test('a hash names its parameters and fits the password in any composition, but no other', async () => {
  const passwords = createPasswords()
  const hash = await passwords.hash('motörhead fan', 'known')
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=65536,t=2,p=1\$/)
  expect(await passwords.verify('moto\u0308rhead fan', hash, 'known')).toBe(true)
  for (const wrong of ['motorhead fan', '', ' ', 'x'.repeat(4_096)]) {
    expect(await passwords.verify(wrong, hash, 'known')).toBe(false)
  }
})

test('at most two are computed at once, and browsers of the owner precede strangers', async () => {
  const passwords = createPasswords()
  const hash = await passwords.hash(password, 'known')
  const order: string[] = []
  const started = passwords.counts.begun
  const verify = (name: string, priority: 'known' | 'stranger') =>
    passwords.verify('wrong', hash, priority).then(() => order.push(name))
  const all = [
    verify('first', 'stranger'),
    verify('second', 'stranger'),
    verify('stranger', 'stranger'),
    verify('owner', 'known'),
  ]
  expect(passwords.counts.begun - started).toBe(2)
  await Promise.all(all)
  // The owner's began before the stranger's; with two at once they may end in either order.
  expect(order.slice(0, 2).toSorted()).not.toContain('stranger')
})

test('when sixteen strangers wait, the next one has to try again, and the owner does not', async () => {
  const passwords = createPasswords(8_192)
  const hash = await passwords.hash(password, 'known')
  const waiting = Array.from({ length: 18 }, () => passwords.verify('wrong', hash, 'stranger'))
  const error = await passwords.verify(password, hash, 'stranger').catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(TooBusy)
  expect(await passwords.verify(password, hash, 'known')).toBe(true)
  expect(await Promise.all(waiting)).toEqual(Array(18).fill(false))
})
