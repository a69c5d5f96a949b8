/** The overview: the first steps, the numbers of the store, what needs attention, and the last 30 days. */

import { Box, Button, Flex, Group, Paper, SegmentedControl, Stack, Text } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { IconCircle, IconCircleCheck, IconCircleCheckFilled } from '@tabler/icons-react'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import { api, bodyOf, type Schemas } from '../api/client.ts'
import { pageOf } from '../api/lists.ts'
import { queryClient } from '../api/queries.ts'
import { systemQuery } from '../api/system.ts'
import { isPublished } from '../projects/queries.ts'
import { DayChart } from '../ui/chart.tsx'
import { countOf, formatDay, formatNumber, isolated } from '../ui/format.ts'
import { Moment } from '../ui/moment.tsx'
import { Page, Section } from '../ui/page.tsx'
import { Quiet, SmallButton } from '../ui/small.ts'
import { Loaded, LoadingRows } from '../ui/states.tsx'

type Overview = Schemas['Overview']

/** Requests are counted without an announcement. */
const refreshMs = 30_000

const overviewQuery = queryOptions({
  queryKey: ['overview'],
  queryFn: ({ signal }) => bodyOf(api.GET('/overview', { params: { query: { days: 30 } }, signal })),
  refetchInterval: refreshMs,
  meta: { topics: ['pets', 'orders', 'keys', 'bans', 'domains', 'certificates', 'backups', 'accounts', 'webhooks'] },
})

export function OverviewPage() {
  const query = useQuery(overviewQuery)
  const steps = useQuery(firstStepsQuery)
  return (
    <Page title="Overview">
      {/* All parts appear at once, so that nothing moves. */}
      <Loaded
        query={steps.isPending ? { ...query, data: undefined } : query}
        loading={<LoadingRows rows={6} height={72} label="Loading the overview…" />}
      >
        {(overview) => (
          <>
            <Checklist animals={overview.animals} steps={steps.data} />
            <Tiles overview={overview} />
            {/* What needs attention comes first on phones; beside the chart it is on the right. */}
            <Flex direction={{ base: 'column', lg: 'row-reverse' }} align={{ lg: 'flex-start' }} gap="lg">
              <Box flex="1" miw={0}>
                <AttentionSection attention={overview.attention} />
              </Box>
              <Box flex="2" miw={0}>
                <Activity days={overview.days} />
              </Box>
            </Flex>
          </>
        )}
      </Loaded>
    </Page>
  )
}

/** The numbers of the store, each with a link to what it counts. */
function Tiles({ overview: { animals, orders, days } }: { readonly overview: Overview }) {
  const { requests = 0, rejected = 0 } = days.at(-1) ?? {}
  return (
    <Flex component="ul" className="plain-list" wrap="wrap" gap="md" aria-label="Numbers of the store">
      <Tile href="/animals?status=available" label="Available animals" value={animals.available} />
      <Tile href="/animals?status=pending" label="Pending animals" value={animals.pending} />
      <Tile href="/animals?status=sold" label="Sold animals" value={animals.sold} />
      <Tile href="/orders?status=placed" label="Open orders" value={orders.placed + orders.approved}>
        {formatNumber(orders.placed)} to approve, {formatNumber(orders.approved)} to deliver
      </Tile>
      <Tile href="/keys/usage" label="Requests today" value={requests}>
        {rejected === 0 ? 'None rejected' : `${formatNumber(rejected)} rejected`}
      </Tile>
    </Flex>
  )
}

interface TileProps {
  readonly href: string
  readonly label: string
  readonly value: number
  readonly children?: ReactNode
}

function Tile({ href, label, value, children }: TileProps) {
  return (
    // Where not all fit in one line, three are above two.
    <Box component="li" flex={{ base: '1 1 40%', sm: '1 1 30%', lg: '1 1 15%' }}>
      <Paper
        component={Link}
        href={href}
        withBorder
        display="block"
        h="100%"
        p="clamp(0.75rem, 2vw, 1.25rem)"
        className="tile"
      >
        <Quiet>{label}</Quiet>
        <Text fz="1.9rem" fw={650} lh={1.3}>
          {formatNumber(value)}
        </Text>
        {children !== undefined && (
          <Text size="xs" c="dimmed">
            {children}
          </Text>
        )}
      </Paper>
    </Box>
  )
}

type Count = Exclude<keyof Overview['days'][number], 'date'>

/** What the chart shows, with the colour of each number. */
const charts: Readonly<Record<string, readonly { label: string; color: string; count: Count }[]>> = {
  Sales: [
    { label: 'Orders delivered', color: '--accent', count: 'ordersDelivered' },
    { label: 'Sold at the counter', color: '--info', count: 'soldWithoutOrder' },
  ],
  Orders: [
    { label: 'Placed', color: '--accent', count: 'ordersPlaced' },
    { label: 'Delivered', color: '--info', count: 'ordersDelivered' },
  ],
  Requests: [
    { label: 'Requests', color: '--accent', count: 'requests' },
    { label: 'Rejected', color: '--bad', count: 'rejected' },
  ],
}

/** The last 30 days. */
function Activity({ days }: { readonly days: Overview['days'] }) {
  const [kind, setKind] = useState('Sales')
  const series = (charts[kind] ?? []).map(({ count, ...one }) => ({ ...one, values: days.map((day) => day[count]) }))
  return (
    <Section
      title="Last 30 days"
      lead={kind === 'Sales' ? 'Sold at the counter: marked as sold without an order.' : undefined}
      actions={
        <SegmentedControl
          size="xs"
          aria-label="Shown in the chart"
          value={kind}
          onChange={setKind}
          data={Object.keys(charts)}
        />
      }
    >
      <DayChart label={`${kind} of the last 30 days`} days={days.map(({ date }) => date)} series={series} />
    </Section>
  )
}

/** Whether the first steps with the store are done. */
interface FirstSteps {
  /** Whether animals have been imported; other animals can be there without. */
  readonly hasImport: boolean
  readonly hasKey: boolean
  /** Undefined while hosting is off: nobody could see one. */
  readonly hasSite: boolean | undefined
}

const firstStepsQuery = queryOptions({
  queryKey: ['overview', 'steps'],
  queryFn: async ({ signal }): Promise<FirstSteps> => {
    const [imports, created, projects, system] = await Promise.all([
      pageOf(api.GET('/imports', { params: { query: { limit: 1 } }, signal })),
      pageOf(api.GET('/audit', { params: { query: { action: 'key.created', limit: 100 } }, signal })),
      pageOf(api.GET('/projects', { params: { query: { limit: 100 } }, signal })),
      queryClient.ensureQueryData(systemQuery),
    ])
    return {
      hasImport: imports.items.length > 0,
      // The first start of a store prints a key, which nobody has requested.
      hasKey: created.items.some(({ actor }) => actor !== 'system'),
      hasSite: system.sitesDomain === null ? undefined : projects.items.some(isPublished),
    }
  },
  meta: { topics: ['imports', 'keys', 'projects', 'deploys', 'website'] },
})

const memory = 'petstore-first-steps'

interface Step {
  readonly label: string
  readonly text: string
  readonly href: string
  readonly isDone: boolean
  /** Stands below a step that is done. */
  readonly done?: string
}

interface ChecklistProps {
  readonly animals: Schemas['Overview']['animals']
  /** Undefined if they could not be loaded. */
  readonly steps: FirstSteps | undefined
}

/** The first steps with a new store. They disappear when they are done or dismissed. */
function Checklist({ animals, steps: data }: ChecklistProps) {
  const [isDismissed, setDismissed] = useLocalStorage({
    key: memory,
    defaultValue: false,
    getInitialValueInEffect: false,
  })
  if (data === undefined || isDismissed) return null
  const count = animals.available + animals.pending + animals.sold
  const steps: readonly Step[] = [
    {
      label: 'Import your animals',
      text: 'From a spreadsheet or another program.',
      href: '/animals/import',
      isDone: count > 0,
      ...(data.hasImport ? {} : { done: `${countOf(count, 'animal')} ${count === 1 ? 'is' : 'are'} here already` }),
    },
    ...(data.hasSite === undefined
      ? []
      : [
          {
            label: 'Create your web shop',
            text: 'A website with your animals, from a few texts.',
            href: '/web-shop',
            isDone: data.hasSite,
          },
        ]),
    {
      label: 'Create a key',
      text: 'For a partner or a program.',
      href: '/keys?create=1',
      isDone: data.hasKey,
    },
  ]
  if (steps.every(({ isDone }) => isDone)) return null
  const doneSteps = steps.filter(({ isDone }) => isDone).length

  return (
    <Section
      title="First steps"
      lead={`${doneSteps} of ${steps.length} done`}
      actions={<SmallButton onClick={() => setDismissed(true)}>Hide first steps</SmallButton>}
    >
      <Flex component="ol" className="plain-list" wrap="wrap" gap="md">
        {steps.map(({ label, text, href, isDone, done = 'Done' }) => (
          <Group key={href} component="li" flex="1 1 14rem" gap="sm" wrap="nowrap" align="flex-start">
            <Box flex="none" c={isDone ? 'var(--good)' : 'var(--control-line)'} aria-hidden="true">
              {isDone ? <IconCircleCheckFilled size={24} /> : <IconCircle size={24} />}
            </Box>
            <div>
              <Text fw={600} {...(isDone ? { c: 'dimmed' } : {})}>
                {isDone ? label : <Link href={href}>{label}</Link>}
              </Text>
              <Quiet>{isDone ? done : text}</Quiet>
            </div>
          </Group>
        ))}
      </Flex>
    </Section>
  )
}

type Attention = Schemas['Overview']['attention'][number]

interface Words {
  readonly text: string
  readonly action: string
  readonly href: string
}

/** On phones, more items would push the chart out of view. The item that has waited longest comes first. */
const shownFirst = 6

/** Everything that needs the owner, each with one action. */
function AttentionSection({ attention }: { readonly attention: readonly Attention[] }) {
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
  // Such an item starts 14 days before the expiry, which is of no interest.
  const isAhead = attention.kind === 'key_expiring' || attention.kind === 'certificate_expiring'
  return (
    <li>
      <div>
        <Text>{text}</Text>
        {!isAhead && attention.since !== null && (
          <Quiet>
            <Moment time={attention.since} isRelative />
          </Quiet>
        )}
      </div>
      <SmallButton component={Link} href={href} mt="xs" aria-label={`${action}: ${text}`}>
        {action}
      </SmallButton>
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
    case 'imprint_missing':
      return {
        text: 'Your web shop has no Impressum, which the law requires of German websites',
        action: 'Open web shop',
        href: '/web-shop',
      }
    case 'domain':
      return { text: `${name} has a problem`, action: 'Open domain', href: `/projects/${id}/domains/${given}` }
    case 'certificate_failed':
      return { text: `${name} has no certificate yet`, ...certificateAction(id) }
    case 'certificate_expiring':
      return { text: `The certificate of ${name} ${expiryWords(expiresAt)}`, ...certificateAction(id) }
    case 'domain_degraded':
      return {
        text: `${name} no longer points to the store`,
        action: 'Open domain',
        href: `/projects/${id}/domains/${given}`,
      }
    case 'disk_low':
      return {
        text: 'The store’s disk is nearly full: delete files that you do not need, such as old backups',
        action: 'Show size',
        href: '/settings',
      }
    case 'storage_fault':
      return { text: `The store cannot save changes. ${name}`, action: 'Open settings', href: '/settings' }
    case 'clock_wrong':
      return {
        text: 'The clock of the store’s computer is wrong: set it, and turn on time synchronisation',
        action: 'Open settings',
        href: '/settings',
      }
    case 'mail_failed':
      return { text: `Mail to you cannot be sent. ${name}`, action: 'Show mail', href: '/settings' }
    case 'restored_elsewhere':
      return {
        text: 'This store was restored from another computer’s backup. Until you confirm it, it sends no mail or webhooks and requests no certificates',
        action: 'Confirm',
        href: '/settings#backups',
      }
    case 'webhook_disabled':
      return {
        text: `The webhook “${name}” is off: the other server did not accept the events`,
        action: 'Open webhook',
        href: `/keys/webhooks?webhook=${id}`,
      }
    case 'webhooks_held':
      return {
        text: 'Events are on hold since a backup was restored: decide whether to send them to other servers',
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
