/** One domain: how far it has got, what to do next, its records, its use and its history. */

import { Box, Button, Flex, Group, Stack, Table, Text, VisuallyHidden } from '@mantine/core'
import {
  IconAlertCircle,
  IconCircle,
  IconCircleCheckFilled,
  IconExternalLink,
  IconLoader2,
  IconMail,
} from '@tabler/icons-react'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { ChangeButton } from '../ui/change.tsx'
import { CopyButton } from '../ui/copy.tsx'
import { Fact, Facts } from '../ui/facts.tsx'
import { formatMoment, formatNumber, formatRelative, formatTime } from '../ui/format.ts'
import { Moment } from '../ui/moment.tsx'
import { Section } from '../ui/page.tsx'
import { Quiet, SmallButton } from '../ui/small.ts'
import { Loaded } from '../ui/states.tsx'
import { Status, type StatusWords } from '../ui/status.tsx'
import { RecordTable, ShowMore, wide } from '../ui/table.tsx'
import { CertificateState } from './certificate.tsx'
import { Sibling } from './offers.tsx'
import { type Domain, domainEventsQuery, domainQuery, type Finding, verifyDomain } from './queries.ts'
import { RemoveDomain } from './remove-domain.tsx'
import { Use } from './use.tsx'
import { purposeLabels, recordsText, type StepState, stateOf, stepsOf, verifyLabel } from './words.ts'

interface DomainViewProps {
  readonly projectId: number
  readonly hostname: string
}

export function DomainView({ projectId, hostname }: DomainViewProps) {
  const [isLeaving, setLeaving] = useState(false)
  const query = useQuery({ ...domainQuery(projectId, hostname), enabled: !isLeaving })
  return (
    <Loaded query={query} list={{ href: `/projects/${projectId}/domains`, label: 'Show all domains' }}>
      {(domain) => <View domain={domain} isLeaving={isLeaving} onLeaving={setLeaving} />}
    </Loaded>
  )
}

interface ViewProps {
  readonly domain: Domain
  /** Whether the domain is being removed. */
  readonly isLeaving: boolean
  readonly onLeaving: (isLeaving: boolean) => void
}

function View({ domain, isLeaving, onLeaving }: ViewProps) {
  const { projectId, hostname, unicodeHostname, state, certificate } = domain
  const [isRemoving, setRemoving] = useState(false)
  const [, navigate] = useLocation()
  // What is live and right needs no check: the website is what the owner wants to see.
  const isFine = state === 'active' && domain.dns.status !== 'drifted'
  const list = `/projects/${projectId}/domains`

  return (
    <>
      <Section
        title={unicodeHostname}
        // Letters of other alphabets look the same: this spelling tells such names apart.
        {...(hostname === unicodeHostname ? {} : { lead: `In records and certificates: ${hostname}` })}
        actions={
          <>
            <SmallButton component={Link} href={list}>
              All domains
            </SmallButton>
            {(state === 'active' || state === 'degraded') && (
              <Button
                component="a"
                href={`https://${hostname}`}
                target="_blank"
                rel="noreferrer"
                size="xs"
                variant={isFine ? 'filled' : 'default'}
                rightSection={<IconExternalLink size={14} aria-hidden="true" />}
              >
                Open website
                <VisuallyHidden> (opens in a new tab)</VisuallyHidden>
              </Button>
            )}
            <SmallButton onClick={() => setRemoving(true)}>Remove domain</SmallButton>
            <ChangeButton variant={isFine ? 'default' : 'filled'} change={() => verifyDomain(domain)}>
              {verifyLabel(domain)}
            </ChangeButton>
          </>
        }
      >
        <Stack>
          <Group>
            <Status of={stateOf(domain)} />
            <CheckTimes dns={domain.dns} />
          </Group>
          <Steps domain={domain} />
          {certificate.status !== 'none' && (
            <Facts>
              <Fact label="Certificate">
                <CertificateState certificate={certificate} />
              </Fact>
            </Facts>
          )}
        </Stack>
      </Section>
      <Findings domain={domain} />
      <Records domain={domain} />
      <Sibling domain={domain} isFine={isFine} />
      <Use domain={domain} />
      <History domain={domain} isPaused={isLeaving} />
      <RemoveDomain
        domain={isRemoving ? domain : undefined}
        onClose={() => setRemoving(false)}
        onRemoving={onLeaving}
        onRemoved={() => navigate(list)}
      />
    </>
  )
}

/** When a domain was checked, and when it will be: "Checked 12 seconds ago. Next check in 48 seconds." */
function CheckTimes({ dns: { checkedAt, nextCheckAt } }: { readonly dns: Domain['dns'] }) {
  const [nowMs, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  const isDue = nextCheckAt !== null && Date.parse(nextCheckAt) - nowMs < 1_000
  return (
    <Quiet span>
      {checkedAt === null ? 'Not checked yet.' : `Checked ${formatRelative(checkedAt, nowMs, true)}.`}{' '}
      {nextCheckAt !== null &&
        (isDue ? 'The next check is running.' : `Next check ${formatRelative(nextCheckAt, nowMs, true)}.`)}
    </Quiet>
  )
}

const steps: Readonly<Record<StepState, readonly [words: string, color: string, icon: typeof IconCircle]>> = {
  done: ['done', 'var(--good)', IconCircleCheckFilled],
  now: ['in progress', 'var(--info)', IconLoader2],
  wrong: ['needs a fix', 'var(--bad)', IconAlertCircle],
  changed: ['needs a fix', 'var(--warn)', IconAlertCircle],
  later: ['later', 'dimmed', IconCircle],
}

/** The steps from records to a live domain. */
function Steps({ domain }: { readonly domain: Domain }) {
  return (
    <Flex component="ol" className="plain-list" wrap="wrap" gap="sm" aria-label="Steps until the domain is live">
      {stepsOf(domain).map(({ label, state }) => {
        const [words, color, Icon] = steps[state]
        return (
          <Flex component="li" key={label} data-state={state} flex="1 1 9rem" gap="xs" c={color}>
            <Icon size={22} aria-hidden="true" style={{ flex: 'none' }} />
            <div>
              <Text fw={600}>{label}</Text>
              <Quiet>{words}</Quiet>
            </div>
          </Flex>
        )
      })}
    </Flex>
  )
}

/** The most urgent first. */
const severities: Readonly<Record<Finding['severity'], StatusWords>> = {
  error: ['To fix', 'bad'],
  warning: ['Warning', 'warn'],
  info: ['Good to know', 'info'],
}
const order = Object.keys(severities)

/** The findings of a check: first the remedy, then the problem, and the evidence of each server on demand. */
function Findings({ domain: { findings, dns } }: { readonly domain: Domain }) {
  if (findings.length === 0) return null
  const urgentFirst = findings.toSorted((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity))
  return (
    <Section title="What to do">
      <ul className="plain-list divided breaks">
        {urgentFirst.map((finding, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two findings can be about the same record
          <Stack component="li" key={`${finding.code} ${finding.name} ${finding.type} ${index}`} gap={6}>
            <Group gap="xs" align="baseline">
              <Status of={severities[finding.severity]} />
              <strong>{finding.fix}</strong>
            </Group>
            <Text>{finding.message}</Text>
            {finding.expiresAt !== null && finding.observed.length > 0 && (
              <Quiet>Other servers may use the old record until {formatMoment(finding.expiresAt)}.</Quiet>
            )}
            {finding.observed.length > 0 && <Evidence finding={finding} checkedAt={dns.checkedAt} />}
          </Stack>
        ))}
      </ul>
    </Section>
  )
}

const shownValues = 10

interface EvidenceProps {
  readonly finding: Finding
  readonly checkedAt: string | null
}

function Evidence({ finding: { expected, observed }, checkedAt }: EvidenceProps) {
  const time = checkedAt === null ? '' : ` at ${formatTime(checkedAt)}`
  return (
    <details>
      <summary>What the servers said</summary>
      <Box component="ul" my={6} ps="lg">
        {observed.map(({ server, rcode, values }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a server can be queried twice
          <li key={`${server} ${index}`}>
            We asked {server}
            {time} and got {values.length === 0 ? `nothing (${rcode})` : valuesText(values)}.
          </li>
        ))}
      </Box>
      {expected.length > 0 && <Text>It should be {expected.join(' or ')}.</Text>}
    </details>
  )
}

function valuesText(values: readonly string[]): string {
  const shown = values.slice(0, shownValues).join(', ')
  return values.length > shownValues ? `${shown} and ${formatNumber(values.length - shownValues)} more` : shown
}

/** The records to add at the provider of the domain, with buttons to copy them or to send them to somebody. */
function Records({ domain: { unicodeHostname, records, dns } }: { readonly domain: Domain }) {
  const text = recordsText(unicodeHostname, records)
  const subject = encodeURIComponent(`DNS records for ${unicodeHostname}`)
  const body = encodeURIComponent(
    `Hello,\n\nplease add these records at the provider of our domain.\n\n${text}\nThank you!`,
  )
  return (
    <Section
      title="Records"
      lead={
        dns.status === 'verified'
          ? 'These records are correct. Keep them: the website needs them as long as it uses this domain.'
          : 'Add these in the DNS settings of the company where you bought the domain.'
      }
      actions={
        <>
          <CopyButton text={text} label="Copy all" size="xs" />
          <SmallButton
            component="a"
            href={`mailto:?subject=${subject}&body=${body}`}
            leftSection={<IconMail size={16} />}
          >
            Send to my web person
          </SmallButton>
        </>
      }
    >
      <ul className="plain-list divided">
        {records.map(({ type, name, fqdn, value, ttl, purpose, note }) => (
          <Stack component="li" key={`${type} ${fqdn} ${value}`} gap="xs">
            <Quiet>{purposeLabels[purpose]}</Quiet>
            <Facts labelWidth="4rem">
              <Fact label="Type">{type}</Fact>
              <Fact label="Name">
                <CopiedText word="name" text={name} />
              </Fact>
              <Fact label="Value">
                <CopiedText word="value" text={value} />
              </Fact>
              <Fact label="TTL">
                {ttl} <Quiet span>seconds; another value works too</Quiet>
              </Fact>
            </Facts>
            {note !== null && <Quiet>{note}</Quiet>}
          </Stack>
        ))}
      </ul>
    </Section>
  )
}

function CopiedText({ word, text }: { readonly word: string; readonly text: string }) {
  return (
    <>
      <Text component="code" ff="monospace" size="sm">
        {text}
      </Text>{' '}
      <CopyButton text={text} label={`Copy ${word} ${text}`} size="compact-xs">
        {`Copy ${word}`}
      </CopyButton>
    </>
  )
}

/** The events of the domain. */
function History({ domain, isPaused }: { readonly domain: Domain; readonly isPaused: boolean }) {
  const query = useInfiniteQuery({ ...domainEventsQuery(domain), enabled: !isPaused })
  const { data: events = [] } = query
  if (events.length === 0) return null
  return (
    <Section title="History">
      <RecordTable isInSection columns={['Event', wide('When')]}>
        {events.map(({ id, at, message }) => (
          <Table.Tr key={id}>
            <Table.Td>
              {message}
              <Quiet hiddenFrom="sm">
                <Moment time={at} />
              </Quiet>
            </Table.Td>
            <Table.Td visibleFrom="sm" c="dimmed" fz="sm">
              <Moment time={at} />
            </Table.Td>
          </Table.Tr>
        ))}
      </RecordTable>
      <ShowMore query={query} label="Show older events" />
    </Section>
  )
}
