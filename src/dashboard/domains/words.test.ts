import { expect, test } from 'bun:test'
import { hostnameIn } from './words.ts'

test('a pasted address gives its hostname', () => {
  for (const [text, hostname] of [
    ['www.example.com', 'www.example.com'],
    [' https://www.Example.com/shop?x=1#y ', 'www.example.com'],
    ['http://user@example.com:8080/', 'example.com'],
    ['example.com.', 'example.com'],
    ['shop.example.com/path', 'shop.example.com'],
    ['', ''],
  ] as const) {
    expect([text, hostnameIn(text)]).toEqual([text, hostname])
  }
})
