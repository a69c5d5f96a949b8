import { expect, test } from 'bun:test'
import { asciiMailbox, isMailbox } from './mailbox.ts'

test.each([
  'ada@shop.example',
  "o'hara+pets@shop.example",
  'root@localhost',
  'joerg@bücher.example',
  'owner@例子.example',
  `${'a'.repeat(64)}@shop.example`,
])('%s is a mailbox', (text) => expect(isMailbox(text)).toBe(true))

test.each([
  '',
  'ada',
  'ada@',
  '@shop.example',
  'ada@shop.example, eve@evil.example',
  'ada,eve@shop.example',
  'Ada <ada@shop.example>',
  '<ada@shop.example>',
  '"ada, eve"@shop.example',
  'ada@shop.example\r\nBcc: eve@evil.example',
  'ada@shop.example\n',
  'ada@shop.example\u2028',
  'ada eve@shop.example',
  'ada@eve@shop.example',
  'ada..b@shop.example',
  'ada@-shop.example',
  'ada@[192.0.2.1]',
  'ada:eve@shop.example',
  'ada;eve@shop.example',
  'ada\u202e@shop.example',
  'ada\ud800@shop.example',
  `${'a'.repeat(65)}@shop.example`,
  'jörg@bücher.example',
  '店主@例子.example',
  'ada@xn--zzzzz-99999.example',
  `ada@${'a.'.repeat(125)}example`,
])('%j is not a mailbox', (text) => expect(isMailbox(text)).toBe(false))

test('the domain of a mailbox has a form in ASCII', () => {
  expect(asciiMailbox('ada@bücher.example')).toBe('ada@xn--bcher-kva.example')
  expect(asciiMailbox('Ada@shop.example')).toBe('Ada@shop.example')
})
