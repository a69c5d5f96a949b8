/** Notes that offer to change something about the domains of a website with one button. */

import { Alert, Box, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useLocation } from 'wouter'
import { ChangeButton } from '../ui/change.tsx'
import { showDone } from '../ui/notices.tsx'
import { addDomain, changeDomain, type Domain, domainsQuery } from './queries.ts'
import { siblingOf, standInOf } from './words.ts'

interface OfferProps {
  readonly children: ReactNode
  readonly label: string
  readonly change: () => Promise<void>
}

function Offer({ children, label, change }: OfferProps) {
  return (
    <Alert role="note" color="amber" py="xs" className="breaks">
      <Group justify="space-between" gap="xs">
        <Box flex="1 1 20rem" miw={0} fz="md">
          {children}
        </Box>
        <ChangeButton change={change}>{label}</ChangeButton>
      </Group>
    </Alert>
  )
}

interface SiblingProps {
  readonly domain: Domain
  readonly isFine: boolean
}

/**
 * Leads from a domain to the same one without `www.`, or with it, while its records are missing, and offers to add it once
 * the domain is fine.
 */
export function Sibling({ domain: { projectId, unicodeHostname }, isFine }: SiblingProps) {
  const [, navigate] = useLocation()
  const { data: domains = [] } = useQuery(domainsQuery(projectId))
  const sibling = siblingOf(unicodeHostname)
  const known = domains.find((one) => one.unicodeHostname === sibling)
  const main = domains.find(({ role }) => role === 'primary')
  if (sibling === undefined || main === undefined) return null
  const open = ({ hostname }: Domain) => navigate(`/projects/${projectId}/domains/${hostname}`)
  if (known !== undefined) {
    if (known.dns.status === 'verified' || known.dns.status === 'drifted') return null
    return (
      <Offer label={`Show records of ${sibling}`} change={async () => open(known)}>
        {sibling} has records of its own.
      </Offer>
    )
  }
  if (!isFine) return null

  return (
    <Offer label={`Add ${sibling}`} change={async () => open(await addDomain(projectId, { hostname: sibling }))}>
      Also add {sibling}? It will redirect to {main.unicodeHostname}.
    </Offer>
  )
}

/** Says where the website opens while its main address is not live, and offers to change that. */
export function StandIn({ domains }: { readonly domains: readonly Domain[] }) {
  const found = standInOf(domains)
  if (found === undefined) return null
  const { main, live } = found

  async function makeMain(): Promise<void> {
    await changeDomain(live, { role: 'primary' })
    showDone(`${live.unicodeHostname} is now the main address.`)
  }

  return (
    <Offer label="Make it the main address" change={makeMain}>
      The main address {main.unicodeHostname} is not live yet. Until it is, visitors see the website at{' '}
      {live.unicodeHostname}.
    </Offer>
  )
}
