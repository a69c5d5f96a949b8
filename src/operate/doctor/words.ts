/**
 * Describes what needs attention in a sentence and advice, for the terminal. Kinds that are mailed have the words of
 * the mail.
 */

import type { AttentionItem } from '../../api/attention.ts'
import { printable } from '../../lib/log.ts'
import { isMailed, wordsFor } from '../mail/words.ts'

export interface AttentionText {
  /** A sentence without its full stop. */
  readonly what: string
  readonly advice: string
}

const others: Readonly<Record<string, (item: AttentionItem) => AttentionText>> = {
  order_waiting: ({ id, name }) => ({
    what: `Order ${id} (${name}) has been waiting for more than a day`,
    advice: 'Approve or cancel it in the dashboard.',
  }),
  key_banned: ({ id, name }) => ({
    what: `The key ${name} is banned`,
    advice: `Its program sends requests after a 429. To end the ban: petstore keys unban ${id}`,
  }),
  key_expiring: ({ id, name }) => ({
    what: `The key ${name} expires soon`,
    advice: `To issue its successor: petstore keys roll ${id}`,
  }),
  domain: ({ name }) => ({ what: `The domain ${name} is not in order`, advice: `See: petstore domains check ${name}` }),
  hosting_off: () => ({
    what: 'Hosting is off: no website is served',
    advice: 'Turn it on with serve --platform-domain NAME.',
  }),
  imprint_missing: () => ({
    what: 'The web shop has no Impressum, which the law requires of German websites',
    advice: 'Enter it in the dashboard under Web shop.',
  }),
  backups_unreadable: () => ({
    what: 'The directory of the backups cannot be read',
    advice: 'Make it readable for the user that runs petstore.',
  }),
  webhooks_held: () => ({
    what: 'Webhooks are on hold after a restore',
    advice: 'Decide under API keys → Webhooks whether the pending events are sent.',
  }),
  mail_failed: ({ name }) => ({
    what: 'Mail is not sent',
    // A reply of a mail server has no full stop.
    advice: `${name?.replace(/\.?$/, '.') ?? 'The mail server does not accept it.'} Check the mail server under Settings → Mail.`,
  }),
  restored_elsewhere: () => ({
    what: 'The restored store is on hold: it orders no certificates and sends no mail and no webhooks',
    advice: 'When the old machine no longer runs it, confirm with: petstore backup confirm',
  }),
}

export function attentionText(item: AttentionItem): AttentionText {
  if (isMailed(item)) return wordsFor(item)
  const name = item.name === null ? null : printable(item.name)
  return (
    others[item.kind]?.({ ...item, name }) ?? { what: item.kind.replaceAll('_', ' '), advice: 'See the dashboard.' }
  )
}
