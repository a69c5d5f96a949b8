import { expect, test } from 'bun:test'
import { Relay } from './connection.ts'

test('a receiver has a timeout while bytes wait for it, which starts again whenever it takes some', () => {
  const calls: string[] = []
  let free = 4
  const socket = (name: string) => ({
    write(bytes: Uint8Array) {
      const taken = Math.min(free, bytes.length)
      free -= taken
      return taken
    },
    end: () => void calls.push(`${name} ends`),
    pause: () => void calls.push(`${name} pauses`),
    resume: () => void calls.push(`${name} resumes`),
    timeout: (seconds: number) => void calls.push(`${name} ${seconds} s`),
  })
  const took = () => calls.splice(0)
  const relay = new Relay(socket('sender'), socket('receiver'), 60)
  relay.send(new Uint8Array(3))
  relay.drain()
  expect(took()).toEqual([])
  relay.send(new Uint8Array(5))
  relay.send(new Uint8Array(2))
  expect(took()).toEqual(['sender pauses', 'receiver 60 s'])
  // Bun may call it although there is no room.
  relay.drain()
  expect(took()).toEqual([])
  free = 1
  relay.drain()
  expect(took()).toEqual(['receiver 60 s'])
  free = 9
  relay.drain()
  expect(took().slice(-2)).toEqual(['receiver 0 s', 'sender resumes'])
  free = 0
  relay.send(new Uint8Array(1))
  relay.end()
  took()
  free = 9
  relay.drain()
  // Whoever ended it has set a last timeout.
  expect(took()).toEqual(['receiver ends'])
})
