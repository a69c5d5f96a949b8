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
        <ChangeButton size="xs" change={change}>
          {label}
        </ChangeButton>
      </Group>
    </Alert>
  )
}

/** Offers the same domain without `www.`, or with it, once one of the two is live. */
export function AddSibling({ domain: { projectId, unicodeHostname } }: { readonly domain: Domain }) {
  const [, navigate] = useLocation()
  const { data: domains = [] } = useQuery(domainsQuery(projectId))
  const sibling = siblingOf(unicodeHostname)
  const main = domains.find(({ role }) => role === 'primary')
  if (sibling === undefined || main === undefined) return null
  if (domains.some((one) => one.unicodeHostname === sibling)) return null

  async function add(hostname: string): Promise<void> {
    const added = await addDomain(projectId, { hostname })
    navigate(`/projects/${projectId}/domains/${added.hostname}`)
  }

  return (
    <Offer label={`Add ${sibling}`} change={() => add(sibling)}>
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
