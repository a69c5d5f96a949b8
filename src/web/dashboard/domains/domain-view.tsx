/** One domain: how far it has got, what to do next, its records and its history. */

import { Button, Group } from '@mantine/core'
import { IconExternalLink } from '@tabler/icons-react'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { ChangeButton } from '../ui/change.tsx'
import { Fact, Facts } from '../ui/facts.tsx'
import { Moment } from '../ui/moment.tsx'
import { Section } from '../ui/page.tsx'
import { Loaded } from '../ui/states.tsx'
import { Status } from '../ui/status.tsx'
import { ShowMore } from '../ui/table.tsx'
import { CertificateState } from './certificate.tsx'
import { Findings } from './findings.tsx'
import { AddSibling } from './offers.tsx'
import { CheckTimes, Steps } from './progress.tsx'
import { type Domain, domainEventsQuery, domainQuery, verifyDomain } from './queries.ts'
import { Records } from './records.tsx'
import { RemoveDomain } from './remove-domain.tsx'
import { Use } from './use.tsx'
import { stateOf, verifyLabel } from './words.ts'

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
        // Letters of other alphabets look alike: this spelling tells such names apart.
        {...(hostname === unicodeHostname ? {} : { lead: `In records and certificates: ${hostname}` })}
        actions={
          <>
            <Button component={Link} href={list} size="xs" variant="default">
              All domains
            </Button>
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
                <span className="visually-hidden"> (opens in a new tab)</span>
              </Button>
            )}
            <Button size="xs" variant="default" onClick={() => setRemoving(true)}>
              Remove domain
            </Button>
            <ChangeButton size="xs" variant={isFine ? 'default' : 'filled'} change={() => verifyDomain(domain)}>
              {verifyLabel(domain)}
            </ChangeButton>
          </>
        }
      >
        <Group mb="md">
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
      </Section>
      {isFine && <AddSibling domain={domain} />}
      <Findings domain={domain} />
      <Records domain={domain} />
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

/** The events of the domain. */
function History({ domain, isPaused }: { readonly domain: Domain; readonly isPaused: boolean }) {
  const query = useInfiniteQuery({ ...domainEventsQuery(domain), enabled: !isPaused })
  const { data: events = [] } = query
  if (events.length === 0) return null
  return (
    <Section title="History">
      <ol className="domain-history">
        {events.map(({ id, at, message }) => (
          <li key={id}>
            <span>{message}</span>
            <span className="quiet">
              <Moment time={at} />
            </span>
          </li>
        ))}
      </ol>
      <ShowMore query={query} label="Show older events" />
    </Section>
  )
}
