/** Whether a domain is the main address or leads to another one. */

import { Button, Group, NativeSelect, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, type Schemas } from '../api/client.ts'
import { invalidateTopics } from '../api/queries.ts'
import { FormError } from '../ui/feedback/confirm.tsx'
import { showDone } from '../ui/feedback/notices.ts'
import { Section } from '../ui/page.tsx'
import { type Domain, domainsQuery } from './queries.ts'

const statuses = [
  { value: '301', label: '301: moved for good' },
  { value: '302', label: '302: for now' },
  { value: '307', label: '307: for now, forms too' },
  { value: '308', label: '308: moved for good, forms too' },
]

export function Roles({ domain }: { readonly domain: Domain }) {
  const { projectId, hostname, redirect } = domain
  const { data: domains = [] } = useQuery(domainsQuery(projectId))
  const others = domains.filter((other) => other.hostname !== hostname)
  const [target, setTarget] = useState(domain.role === 'primary' ? '' : (redirect?.to ?? ''))
  const [status, setStatus] = useState(String(redirect?.status ?? 301))
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  if (others.length === 0) return null

  async function save(): Promise<void> {
    setBusy(true)
    setError(undefined)
    try {
      const change =
        target === '' ? { role: 'primary' } : { role: 'redirect', redirect: { to: target, status: Number(status) } }
      await api.PATCH('/projects/{projectId}/domains/{hostname}', {
        params: { path: { projectId, hostname } },
        body: change as Schemas['DomainChange'],
      })
      await invalidateTopics(['domains'])
      showDone(target === '' ? `${domain.unicodeHostname} is the main address now.` : 'The redirect is saved.')
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }

  return (
    <Section title="Use" lead="One domain is the main address; the others lead to it.">
      <Stack maw="26rem">
        <NativeSelect
          label="Visitors of this domain"
          value={target}
          onChange={({ currentTarget }) => setTarget(currentTarget.value)}
        >
          <option value="">see the website: it is the main address</option>
          {others.map((other) => (
            <option key={other.hostname} value={other.hostname}>
              are led to {other.unicodeHostname}
            </option>
          ))}
        </NativeSelect>
        {target !== '' && (
          <NativeSelect
            label="Kind of redirect"
            data={statuses}
            value={status}
            onChange={({ currentTarget }) => setStatus(currentTarget.value)}
          />
        )}
        {error !== undefined && <FormError error={error} />}
        <Group>
          <Button variant="default" loading={isBusy} onClick={() => void save()}>
            Save use
          </Button>
        </Group>
      </Stack>
    </Section>
  )
}
