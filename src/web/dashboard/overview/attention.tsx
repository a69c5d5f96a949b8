/** Matters that need the owner, each with one thing to do. */

import { Button, Group, Stack, Text } from '@mantine/core'
import { IconCircleCheck } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'wouter'
import type { Schemas } from '../api/client.ts'
import { formatDay, isolated } from '../ui/format.ts'
import { Moment } from '../ui/moment.tsx'
import { Section } from '../ui/page.tsx'

type Attention = Schemas['Overview']['attention'][number]

interface Words {
  readonly text: string
  readonly action: string
  readonly href: string
}

/** More would push the chart out of sight on phones. What has waited longest comes first. */
const shownFirst = 6

export function AttentionSection({ attention }: { readonly attention: readonly Attention[] }) {
  const [isAll, setAll] = useState(false)
  return (
    <Section title="Needs attention">
      {attention.length === 0 ? (
        <Group gap="xs" c="dimmed">
          <IconCircleCheck size={22} color="var(--good)" aria-hidden="true" /> Nothing. All is well.
        </Group>
      ) : (
        <>
          <Stack component="ul" className="plain-list">
            {(isAll ? attention : attention.slice(0, shownFirst)).map((one) => (
              <Item key={`${one.kind} ${one.id} ${one.name}`} attention={one} />
            ))}
          </Stack>
          {attention.length > shownFirst && (
            <Button variant="subtle" size="xs" aria-expanded={isAll} onClick={() => setAll(!isAll)}>
              {isAll ? 'Show fewer' : `Show all ${attention.length}`}
            </Button>
          )}
        </>
      )}
    </Section>
  )
}

function Item({ attention }: { readonly attention: Attention }) {
  const { text, action, href } = wordsOf(attention)
  // It has begun when there were 14 days left: nobody wants to know that.
  const isAhead = attention.kind === 'key_expiring' || attention.kind === 'certificate_expiring'
  return (
    <li>
      <div>
        <Text>{text}</Text>
        {!isAhead && attention.since !== null && (
          <Text size="sm" c="dimmed">
            <Moment time={attention.since} isRelative />
          </Text>
        )}
      </div>
      <Button component={Link} href={href} size="xs" variant="default" mt="xs" aria-label={`${action}: ${text}`}>
        {action}
      </Button>
    </li>
  )
}

function wordsOf({ kind, id, name: given, expiresAt }: Attention): Words {
  const name = given === null ? null : isolated(given)
  switch (kind) {
    case 'order_waiting':
      return {
        text: `Order ${id} for ${name ?? 'an animal'} has waited for your approval for more than a day`,
        action: 'Open order',
        href: `/orders/${id}`,
      }
    case 'key_banned':
      return {
        text: `The key “${name}” is blocked: it sent too many requests`,
        action: 'Show key',
        href: `/keys?key=${id}`,
      }
    case 'key_expiring':
      return {
        text: `The key “${name}” ${expiryWords(expiresAt)}`,
        action: 'Show key',
        href: `/keys?key=${id}`,
      }
    case 'backup_failed':
      return { text: `The last backup failed. ${name}`, action: 'Show backups', href: '/settings#backups' }
    case 'backup_overdue':
      return { text: 'No backup for more than 7 days', action: 'Back up', href: '/settings#backups' }
    case 'backup_copy_failed':
      return { text: `Backups do not reach the bucket. ${name}`, action: 'Show backups', href: '/settings#backups' }
    case 'backups_unreadable':
      return { text: 'The backups cannot be read', action: 'Show backups', href: '/settings#backups' }
    case 'hosting_off':
      return { text: 'Your websites are offline: hosting is off', action: 'Open projects', href: '/projects' }
    case 'domain':
      return { text: `${name} needs a look`, action: 'Open domain', href: `/projects/${id}/domains/${given}` }
    case 'certificate_failed':
      return { text: `${name} has no certificate yet`, ...certificateAction(id) }
    case 'certificate_expiring':
      return { text: `The certificate of ${name} ${expiryWords(expiresAt)}`, ...certificateAction(id) }
    case 'domain_degraded':
      return {
        text: `${name} does not lead to the store any more`,
        action: 'Open domain',
        href: `/projects/${id}/domains/${given}`,
      }
    case 'disk_low':
      return {
        text: 'The disk of the store is nearly full: delete what is not needed, such as old backups',
        action: 'Show size',
        href: '/settings',
      }
    case 'storage_fault':
      return { text: `The store cannot save changes. ${name}`, action: 'Open settings', href: '/settings' }
    case 'clock_wrong':
      return {
        text: 'The clock of the computer that the store runs on is wrong: set it, and turn on its synchronisation',
        action: 'Open settings',
        href: '/settings',
      }
    case 'mail_failed':
      return { text: `Mail to you cannot be sent. ${name}`, action: 'Show mail', href: '/settings' }
    case 'restored_elsewhere':
      return {
        text: 'This store was restored from a backup of another computer: it sends no mail and no webhooks and orders no certificates until you confirm',
        action: 'Confirm',
        href: '/settings#backups',
      }
    case 'webhook_disabled':
      return {
        text: `The webhook “${name}” is off: the other server did not take the events`,
        action: 'Open webhook',
        href: `/keys/webhooks?webhook=${id}`,
      }
    case 'webhooks_held':
      return {
        text: 'Events wait since a backup was restored: decide whether they are sent to other servers',
        action: 'Open webhooks',
        href: '/keys/webhooks',
      }
    default:
      return { text: name ?? String(kind).replaceAll('_', ' '), action: 'Open settings', href: '/settings' }
  }
}

function expiryWords(expiresAt: string | null): string {
  if (expiresAt === null) return 'expires soon'
  return `${Date.parse(expiresAt) <= Date.now() ? 'expired' : 'expires'} on ${formatDay(expiresAt)}`
}

/** The address of the API itself belongs to no project. */
function certificateAction(projectId: number | null): Omit<Words, 'text'> {
  if (projectId === null) return { action: 'Open settings', href: '/settings' }
  return { action: 'Open domains', href: `/projects/${projectId}/domains` }
}
