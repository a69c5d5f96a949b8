import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { attentionMail, type Content, passwordResetMail } from './words.ts'

const place = { dashboardUrl: 'https://api.shop.example/dashboard', environment: 'production' } as const
const none = { id: null, name: null }
const disk = { ...none, kind: 'disk_low', name: '/srv/petstore', sinceMs: Date.UTC(2026, 10, 20, 10, 15) }
const clock = { ...none, kind: 'clock_wrong', sinceMs: 0 }
const fault = { ...none, kind: 'storage_fault', name: 'The disk of the database is full.', sinceMs: 0 }
const drifted = { kind: 'domain_degraded', id: 1, name: 'www.shop.example', sinceMs: Date.UTC(2026, 10, 20, 9, 2) }
const expiring = {
  kind: 'certificate_expiring',
  id: 1,
  name: 'shop.example',
  sinceMs: Date.UTC(2026, 10, 13, 4, 30),
  expiresMs: Date.UTC(2026, 11, 4, 4, 30),
}

test('the guide shows the mails as they are sent', () => {
  const guide = readFileSync(resolve(import.meta.dir, '../../../docs/guide/mail.md'), 'utf8')
  const shown = [...guide.matchAll(/^```text\n(.*?)^```$/gms)].map(([, text]) => text)
  const asText = ({ subject, text }: Content) => `Subject: ${subject}\n\n${text}`
  expect(shown).toEqual([
    asText(attentionMail({ items: [disk], ended: [] }, place)),
    asText(attentionMail({ items: [drifted, expiring], ended: [clock] }, place)),
    asText(attentionMail({ items: [], ended: [fault] }, place)),
    asText(passwordResetMail(`${place.dashboardUrl}/setup#token=…`, place)),
  ])
})

test('a mail about a failed backup has the reason', () => {
  const name = 'No backup was made: the disk is full. It is tried again every hour.'
  const { subject, text } = attentionMail(
    { items: [{ ...none, kind: 'backup_failed', name, sinceMs: 0 }], ended: [] },
    place,
  )
  expect([subject, text]).toEqual([
    'The last backup failed',
    expect.stringContaining(`\n  ${name} The older backups are kept.`),
  ])
})

test('a mail about a webhook leads to its page', () => {
  const webhook = { kind: 'webhook_disabled', id: 3, name: 'till.example', sinceMs: 0 }
  const { text } = attentionMail({ items: [webhook], ended: [] }, place)
  expect(text).toContain(`\n  ${place.dashboardUrl}/keys/webhooks?webhook=3\n`)
})

test('a mail of staging says so in its subject', () => {
  const { subject } = attentionMail({ items: [disk], ended: [] }, { ...place, environment: 'staging' })
  expect(subject).toBe('[Staging] The disk of the store is nearly full')
})
