/** The use of a domain: whether visitors see the website there, and whether browsers open it over HTTPS only. */

import { Group, NativeSelect, Stack, Switch, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Schemas } from '../api/client.ts'
import { refreshShown } from '../api/queries.ts'
import { useChange } from '../ui/change.tsx'
import { FormError } from '../ui/form.tsx'
import { showDone } from '../ui/notices.tsx'
import { Section } from '../ui/page.tsx'
import { SmallButton } from '../ui/small.ts'
import { changeDomain, type Domain, domainsQuery } from './queries.ts'

const statuses = [
  { value: '301', label: 'Permanent, the usual choice (301)' },
  { value: '302', label: 'Temporary (302)' },
  { value: '307', label: 'Temporary, also for forms (307)' },
  { value: '308', label: 'Permanent, also for forms (308)' },
]

interface Change {
  readonly role?: 'primary'
  readonly redirect?: { readonly to: string; readonly status: number }
  readonly hsts?: boolean
}

export function Use({ domain }: { readonly domain: Domain }) {
  const { projectId, hostname, unicodeHostname, redirect, hsts } = domain
  const { isBusy, error, run } = useChange()
  // The controls show what is being saved at once.
  const [saving, setSaving] = useState<Change>({})
  const { data: domains = [] } = useQuery(domainsQuery(projectId))
  const main = domains.find((other) => other.hostname === redirect?.to)
  const to = main?.unicodeHostname ?? redirect?.to ?? ''
  const isMainLive = main === undefined || main.state === 'active'

  function change(body: Change, done: string): void {
    setSaving(body)
    void run(async () => {
      await changeDomain(domain, body as Schemas['DomainChange'])
      showDone(done)
      await refreshShown()
    }).then(() => setSaving({}))
  }

  return (
    <Section
      title="Use"
      lead="Visitors see the website at one domain, the main address. The other domains redirect to it."
    >
      <Stack maw="34rem">
        {redirect === null ? (
          <MainAddress hasOthers={domains.some((other) => other.hostname !== hostname)} />
        ) : (
          <>
            <NativeSelect
              label={`Visitors are redirected to ${to}`}
              description={
                isMainLive
                  ? 'How browsers and search engines treat the redirect.'
                  : `${to} is not live yet. Until it is, visitors see the website here.`
              }
              data={statuses}
              value={saving.redirect?.status ?? redirect.status}
              disabled={isBusy}
              onChange={({ currentTarget }) => {
                const status = Number(currentTarget.value)
                change({ redirect: { to: redirect.to, status } }, 'The redirect is saved.')
              }}
            />
            <Group>
              <SmallButton
                loading={isBusy}
                onClick={() => change({ role: 'primary' }, `${unicodeHostname} is now the main address.`)}
              >
                Make it the main address
              </SmallButton>
            </Group>
          </>
        )}
        <Switch
          label="HTTPS only"
          description="Browsers remember for a year after a visit to open this domain over HTTPS only. Turn this on when everything works."
          checked={saving.hsts ?? hsts}
          disabled={isBusy}
          onChange={({ currentTarget: { checked } }) =>
            change(
              { hsts: checked },
              checked
                ? `Browsers now open ${unicodeHostname} over HTTPS only.`
                : `Browsers may open ${unicodeHostname} without HTTPS again. Those that have visited may use HTTPS for up to a year.`,
            )
          }
        />
        {error !== undefined && <FormError error={error} />}
      </Stack>
    </Section>
  )
}

function MainAddress({ hasOthers }: { readonly hasOthers: boolean }) {
  return (
    <Text>
      This is the main address.{hasOthers && ' To change that, open another domain and make it the main address.'}
    </Text>
  )
}
