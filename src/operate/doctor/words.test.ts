import { expect, test } from 'bun:test'
import { attentionText } from './words.ts'

test.each([
  ['The password of a@shop.example is missing.', 'The password of a@shop.example is missing.'],
  ['localhost refused the mail: 550 5.1.1 No such mailbox', 'localhost refused the mail: 550 5.1.1 No such mailbox.'],
  [null, 'The mail server does not take it.'],
])('mail that failed because of %j is told in whole sentences', (name, reason) => {
  expect(attentionText({ kind: 'mail_failed', id: null, name, sinceMs: 0 })).toEqual({
    what: 'Mail is not sent',
    advice: `${reason} Check the mail server under Settings → Mail.`,
  })
})
