/** What a domain is used for: whether visitors see the website there, and whether browsers open it over HTTPS alone. */

import { Button, Group, NativeSelect, Stack, Switch } from '@mantine/core'
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

interface Change {
  readonly role?: 'primary'
  readonly redirect?: { readonly to: string; readonly status: number }
  readonly hsts?: boolean
}

export function Use({ domain }: { readonly domain: Domain }) {
  const { projectId, hostname, unicodeHostname, redirect, hsts } = domain
  const [error, setError] = useState<unknown>()
  // The controls show what is being saved at once.
  const [saving, setSaving] = useState<Change>()
  const isBusy = saving !== undefined

  async function change(body: Change, done: string): Promise<void> {
    setSaving(body)
    setError(undefined)
    try {
      await api.PATCH('/projects/{projectId}/domains/{hostname}', {
        params: { path: { projectId, hostname } },
        body: body as Schemas['DomainChange'],
      })
      await invalidateTopics(['domains'])
      showDone(done)
    } catch (failure) {
      setError(failure)
    } finally {
      setSaving(undefined)
    }
  }

  return (
    <Section
      title="Use"
      lead="One domain is the main address, at which visitors see the website. The others lead to it."
    >
      <Stack maw="34rem">
        {redirect === null ? (
          <MainAddress domain={domain} />
        ) : (
          <>
            <NativeSelect
              label={`Visitors are led to ${redirect.to}`}
              description="How browsers and search engines understand it."
              data={statuses}
              value={saving?.redirect?.status ?? redirect.status}
              disabled={isBusy}
              onChange={({ currentTarget }) => {
                const status = Number(currentTarget.value)
                void change({ redirect: { to: redirect.to, status } }, 'The redirect is saved.')
              }}
            />
            <Group>
              <Button
                size="xs"
                variant="default"
                loading={isBusy}
                onClick={() => void change({ role: 'primary' }, `${unicodeHostname} is the main address now.`)}
              >
                Make it the main address
              </Button>
            </Group>
          </>
        )}
        <Switch
          label="Only over HTTPS"
          description="Browsers that have visited remember for a year to open this domain over HTTPS alone. Turn it on when everything works."
          checked={saving?.hsts ?? hsts}
          disabled={isBusy}
          onChange={({ currentTarget: { checked } }) =>
            void change(
              { hsts: checked },
              checked
                ? `Browsers now open ${unicodeHostname} over HTTPS alone.`
                : `Browsers may open ${unicodeHostname} without HTTPS again; those that remember it do so for a year.`,
            )
          }
        />
        {error !== undefined && <FormError error={error} />}
      </Stack>
    </Section>
  )
}

function MainAddress({ domain: { projectId, hostname } }: { readonly domain: Domain }) {
  const { data: domains = [] } = useQuery(domainsQuery(projectId))
  const hasOthers = domains.some((other) => other.hostname !== hostname)
  return (
    <p className="domain-use">
      This is the main address.{hasOthers && ' To change that, open another domain and make that one the main address.'}
    </p>
  )
}
