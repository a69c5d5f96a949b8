/** The texts of mails: plain words, what to do, and a link. */

import type { AttentionItem } from '../../api/attention.ts'
import type { Environment } from '../../lib/environment.ts'
import { printable } from '../../lib/log.ts'

export interface Content {
  readonly subject: string
  readonly text: string
}

/** The dashboard to which the links of a mail lead, and the environment of its store. */
export interface Place {
  /** Such as `https://api.shop.example/dashboard`. */
  readonly dashboardUrl: string
  readonly environment: Environment
}

/** The content of a mail about attention. */
export interface AttentionContent {
  readonly items: readonly AttentionItem[]
  /** Items of the previous mail that have ended. */
  readonly ended: readonly AttentionItem[]
}

interface Words {
  /** A sentence without its full stop, also for the subject. */
  readonly what: string
  /** What happens if nothing is done, and what to do. */
  readonly advice: string
  /** A path of the dashboard. */
  readonly path: string
}

/** Where the dashboard shows the fault of a name. The name of the API belongs to no project. */
const faultPlace = (projectId: number | null) => (projectId === null ? 'Settings → Store' : 'the page of the domains')

/** The kinds of attention that are mailed: they get worse without the owner, and nobody else notices them. */
const wordsOf: Readonly<Record<string, (item: AttentionItem) => Words>> = {
  backup_failed: ({ name }) => ({
    what: 'The last backup failed',
    advice: `${name} The older backups are kept. If the disk breaks, what is not in a backup is lost.`,
    path: '/settings#backups',
  }),
  backup_overdue: () => ({
    what: 'There is no new backup',
    advice:
      'The last backup of the store is more than 7 days old, or there is none. If the disk breaks, everything since then is lost. Make a backup now, and turn the daily one on.',
    path: '/settings#backups',
  }),
  backup_copy_failed: ({ name }) => ({
    what: 'Backups do not reach the bucket',
    advice: `${name} The store tries again. Until then the backups are only on its own computer. If that breaks, they are lost with it. Press “Test the bucket” in the settings.`,
    path: '/settings#backups',
  }),
  disk_low: ({ name }) => ({
    what: 'The disk of the store is nearly full',
    advice: `Less than 5 % or less than 1 GiB is free on the disk of ${name}. When it is full, the store can no longer save orders or animals. Delete what is not needed, such as old backups and logs, or move the store to a larger disk.`,
    path: '/settings',
  }),
  storage_fault: ({ name }) => ({
    what: 'The store cannot save changes',
    advice: `${name} Until then the store shows what it has, and refuses changes.`,
    path: '/',
  }),
  clock_wrong: () => ({
    what: 'The clock of the computer is wrong',
    advice:
      'The date or the time of the computer on which the store runs is more than an hour wrong. Orders get wrong dates, and certificates cannot be renewed. Set the clock, and turn on its synchronisation (on Linux: sudo timedatectl set-ntp true).',
    path: '/settings',
  }),
  webhook_disabled: ({ id, name }) => ({
    what: `The webhook ${name} no longer gets events`,
    advice:
      'For five days that server did not accept the events of the store, or it declined further ones. Ask whoever runs it, then turn the webhook on again: it continues where it stopped.',
    path: `/keys/webhooks?webhook=${id}`,
  }),
  domain_degraded: ({ id, name }) => ({
    what: `The domain ${name} no longer leads to the store`,
    advice:
      'Its DNS records have changed, so visitors may not reach your website. The page of the domain shows the records as they should be.',
    path: `/projects/${id}/domains/${name}`,
  }),
  certificate_failed: ({ id, name }) => ({
    what: `${name} has no certificate`,
    advice: `Browsers do not open it without a warning. The store keeps trying; ${faultPlace(id)} shows the reason.`,
    path: id === null ? '/settings' : `/projects/${id}/domains`,
  }),
  certificate_expiring: ({ id, name, expiresMs }) => ({
    what: `The certificate of ${name} could not be renewed`,
    advice: `It ends ${expiresMs == null ? 'soon' : `on ${timeText(expiresMs)}`}. Then browsers show a warning instead of the website. The store keeps trying; ${faultPlace(id)} shows the reason.`,
    path: id === null ? '/settings' : `/projects/${id}/domains`,
  }),
}

export const isMailed = ({ kind }: Pick<AttentionItem, 'kind'>): boolean => Object.hasOwn(wordsOf, kind)

export function attentionMail({ items, ended }: AttentionContent, place: Place): Content {
  const [first] = items
  const subject =
    first === undefined
      ? 'All is well again'
      : items.length === 1
        ? wordsFor(first).what
        : `${items.length} things need your attention`
  const opening =
    first === undefined
      ? 'nothing needs your attention any longer.'
      : `your pet store needs your attention${items.length === 1 ? '' : `: ${items.length} things`}.`
  const over =
    ended.length === 0 ? [] : ['Resolved:', '', ...ended.map((item) => `* ${wordsFor(item).what}: no longer.`), '']
  return {
    subject: withEnvironment(subject, place),
    text: [
      `Hello, ${opening}`,
      '',
      ...items.flatMap((item) => itemLines(item, place)),
      ...over,
      ...(first === undefined ? [] : ['You get this mail once a day until all is well.', '']),
      ...footLines(place),
    ].join('\n'),
  }
}

function itemLines(item: AttentionItem, { dashboardUrl }: Place): string[] {
  const { what, advice, path } = wordsFor(item)
  return [`* ${what}, since ${timeText(item.sinceMs)}.`, '', `  ${advice}`, '', `  ${dashboardUrl}${path}`, '']
}

/** `link` is the link of the token. */
export function passwordResetMail(link: string, place: Place): Content {
  return {
    subject: withEnvironment('Choose a new password', place),
    text: [
      'Hello, somebody has asked for a new password for the dashboard of your pet store. If it was you, choose one here:',
      '',
      `  ${link}`,
      '',
      'The link works once, within 30 minutes. It signs you out on all other devices.',
      '',
      'If it was not you, delete this mail: your password stays as it is.',
      '',
      ...footLines(place),
    ].join('\n'),
  }
}

export function testMail(place: Place): Content {
  return {
    subject: withEnvironment('Mail works', place),
    text: [
      'Hello, this is the test mail that you asked for. Your pet store can send you mail.',
      '',
      'It writes to you when something needs you: no space on the disk, no new backup, a domain or a certificate with a fault.',
      '',
      ...footLines(place),
    ].join('\n'),
  }
}

function footLines({ dashboardUrl }: Place): string[] {
  return ['-- ', `Your pet store: ${dashboardUrl}/`, 'Change or stop these mails under Settings → Mail.', '']
}

function withEnvironment(subject: string, { environment }: Place): string {
  return environment === 'staging' ? `[Staging] ${subject}` : subject
}

/** The words of an item. Its name comes from outside: control characters could add lines to the mail. */
export function wordsFor(item: AttentionItem): Words {
  const name = item.name === null ? null : printable(item.name)
  return wordsOf[item.kind]?.({ ...item, name }) ?? { what: item.kind, advice: '', path: '/' }
}

const months = 'January February March April May June July August September October November December'.split(' ')

/** Such as `20 November 2026, 10:15 UTC`: the reader of a mail may be in any time zone. */
function timeText(ms: number): string {
  const date = new Date(ms)
  const time = date.toISOString().slice(11, 16)
  return `${date.getUTCDate()} ${months[date.getUTCMonth()]} ${date.getUTCFullYear()}, ${time} UTC`
}
