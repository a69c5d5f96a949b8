/** One domain: how far it has got, what to do next, its records and its history. */

import { Button, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { api } from '../api/client.ts'
import { invalidateTopics } from '../api/queries.ts'
import { Confirm } from '../ui/feedback/confirm.tsx'
import { showDone, showFailure } from '../ui/feedback/notices.ts'
import { Loaded } from '../ui/feedback/states.tsx'
import { Section } from '../ui/page.tsx'
import { Status } from '../ui/status.tsx'
import { Findings } from './findings.tsx'
import { History } from './history.tsx'
import { CheckTimes } from './progress/check-times.tsx'
import { Steps } from './progress/steps.tsx'
import { type Domain, domainQuery } from './queries.ts'
import { Records } from './records.tsx'
import { Roles } from './roles.tsx'
import { stateLabels, stateTones } from './words.ts'

interface DomainViewProps {
  readonly projectId: number
  readonly hostname: string
}

export function DomainView({ projectId, hostname }: DomainViewProps) {
  const query = useQuery(domainQuery(projectId, hostname))
  return <Loaded query={query}>{(domain) => <View domain={domain} />}</Loaded>
}

function View({ domain }: { readonly domain: Domain }) {
  const { projectId, hostname, unicodeHostname, state, certificate } = domain
  const [isBusy, setBusy] = useState(false)
  const [isRemoving, setRemoving] = useState(false)
  const [, navigate] = useLocation()
  const params = { path: { projectId, hostname } }

  async function verify(): Promise<void> {
    setBusy(true)
    try {
      await api.POST('/projects/{projectId}/domains/{hostname}/verify', { params })
      await invalidateTopics(['domains'])
    } catch (error) {
      showFailure(error)
    } finally {
      setBusy(false)
    }
  }

  async function remove(): Promise<void> {
    await api.DELETE('/projects/{projectId}/domains/{hostname}', { params })
    navigate(`/projects/${projectId}/domains`)
    showDone(`${unicodeHostname} is removed.`)
    await invalidateTopics(['domains'])
  }

  return (
    <>
      <Section
        title={unicodeHostname}
        actions={
          <>
            <Button component={Link} href={`/projects/${projectId}/domains`} size="xs" variant="default">
              All domains
            </Button>
            <Button size="xs" variant="default" onClick={() => setRemoving(true)}>
              Remove domain
            </Button>
            <Button size="xs" loading={isBusy} onClick={() => void verify()}>
              {state === 'pending_dns' ? 'Verify' : 'Re-verify'}
            </Button>
          </>
        }
      >
        <Group mb="md">
          <Status tone={stateTones[state]}>{stateLabels[state]}</Status>
          <CheckTimes dns={domain.dns} />
        </Group>
        <Steps domain={domain} />
        {certificate.error !== null && (
          <p className="domain-certificate-error">The certificate authority said: {certificate.error}</p>
        )}
      </Section>
      <Findings findings={domain.findings} />
      <Records domain={domain} />
      <Roles domain={domain} />
      <History projectId={projectId} hostname={hostname} />
      <Confirm
        opened={isRemoving}
        onClose={() => setRemoving(false)}
        title={`Remove ${unicodeHostname}?`}
        action="Remove domain"
        cancel="Keep domain"
        onConfirm={remove}
      >
        Visitors of {unicodeHostname} no longer reach your website, from this moment on. Its records at your provider
        stay until you remove them there.
      </Confirm>
    </>
  )
}
