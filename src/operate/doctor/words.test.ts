import { expect, test } from 'bun:test'
import { attentionText } from './words.ts'

test.each([
  ['The password of a@shop.example is missing.', 'The password of a@shop.example is missing.'],
  ['localhost refused the mail: 550 5.1.1 No such mailbox', 'localhost refused the mail: 550 5.1.1 No such mailbox.'],
  [null, 'The mail server does not accept it.'],
])('mail that failed because of %j is reported in whole sentences', (name, reason) => {
  expect(attentionText({ kind: 'mail_failed', id: null, name, sinceMs: 0 })).toEqual({
    what: 'Mail is not sent',
    advice: `${reason} Check the mail server under Settings → Mail.`,
  })
})

test.each(['certificate_failed', 'certificate_expiring'])(
  '%s of the API leads to the settings, of a domain to its page',
  (kind) => {
    const adviceOf = (id: number | null) => attentionText({ kind, id, name: 'api.stores.example', sinceMs: 0 }).advice
    expect(adviceOf(null)).toEndWith('The store keeps trying; Settings → Store shows the reason.')
    expect(adviceOf(1)).toEndWith('The store keeps trying; the page of the domains shows the reason.')
  },
)
