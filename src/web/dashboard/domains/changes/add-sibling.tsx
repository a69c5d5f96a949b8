/** Offers the same domain without `www.`, or with it, once one of the two is live. */

import { useQuery } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { addDomain, type Domain, domainsQuery } from '../queries.ts'
import { siblingOf } from '../words.ts'
import { Offer } from './offer.tsx'

export function AddSibling({ domain: { projectId, unicodeHostname } }: { readonly domain: Domain }) {
  const [, navigate] = useLocation()
  const { data: domains } = useQuery(domainsQuery(projectId))
  const sibling = siblingOf(unicodeHostname)
  const main = domains?.find(({ role }) => role === 'primary')
  if (sibling === undefined || main === undefined) return null
  if (domains?.some((one) => one.unicodeHostname === sibling)) return null

  async function add(hostname: string): Promise<void> {
    const added = await addDomain(projectId, { hostname })
    navigate(`/projects/${projectId}/domains/${added.hostname}`)
  }

  return (
    <Offer label={`Add ${sibling}`} onAccept={() => add(sibling)}>
      Also add {sibling}? It will lead to {main.unicodeHostname}.
    </Offer>
  )
}
