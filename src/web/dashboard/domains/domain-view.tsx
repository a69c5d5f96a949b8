/** One domain: how far it has got, what to do next, its records and its history. */

import { Button, Group } from '@mantine/core'
import { IconExternalLink } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { showFailure } from '../ui/feedback/notices.ts'
import { Loaded } from '../ui/feedback/states.tsx'
import { Section } from '../ui/page.tsx'
import { Status } from '../ui/status.tsx'
import { AddSibling } from './changes/add-sibling.tsx'
import { RemoveDomain } from './changes/remove-domain.tsx'
import { Findings } from './findings.tsx'
import { History } from './history.tsx'
import { CertificateState } from './progress/certificate.tsx'
import { CheckTimes } from './progress/check-times.tsx'
import { Steps } from './progress/steps.tsx'
import { type Domain, domainQuery, verifyDomain } from './queries.ts'
import { Records } from './records.tsx'
import { Use } from './use.tsx'
import { stateLabelOf, stateToneOf, verifyLabel } from './words.ts'
import '../ui/facts.css'

interface DomainViewProps {
  readonly projectId: number
  readonly hostname: string
}

export function DomainView({ projectId, hostname }: DomainViewProps) {
  const [isLeaving, setLeaving] = useState(false)
  const query = useQuery({ ...domainQuery(projectId, hostname), enabled: !isLeaving })
  return (
    <Loaded query={query}>{(domain) => <View domain={domain} isLeaving={isLeaving} onLeaving={setLeaving} />}</Loaded>
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
  const [isBusy, setBusy] = useState(false)
  const [isRemoving, setRemoving] = useState(false)
  const [, navigate] = useLocation()
  // What is live and right needs no check: the website is what the owner wants to see.
  const isFine = state === 'active' && domain.dns.status !== 'drifted'
  const list = `/projects/${projectId}/domains`

  async function verify(): Promise<void> {
    setBusy(true)
    try {
      await verifyDomain(domain)
    } catch (error) {
      showFailure(error)
    } finally {
      setBusy(false)
    }
  }

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
            <Button size="xs" variant={isFine ? 'default' : 'filled'} loading={isBusy} onClick={() => void verify()}>
              {verifyLabel(domain)}
            </Button>
          </>
        }
      >
        <Group mb="md">
          <Status tone={stateToneOf(domain)}>{stateLabelOf(domain)}</Status>
          <CheckTimes dns={domain.dns} />
        </Group>
        <Steps domain={domain} />
        {certificate.status !== 'none' && (
          <dl className="facts domain-certificate">
            <dt>Certificate</dt>
            <dd>
              <CertificateState certificate={certificate} />
            </dd>
          </dl>
        )}
      </Section>
      {isFine && <AddSibling domain={domain} />}
      <Findings domain={domain} />
      <Records domain={domain} />
      <Use domain={domain} />
      <History projectId={projectId} hostname={hostname} isPaused={isLeaving} />
      <RemoveDomain
        domain={isRemoving ? domain : undefined}
        onClose={() => setRemoving(false)}
        onRemoving={onLeaving}
        onRemoved={() => navigate(list)}
      />
    </>
  )
}
