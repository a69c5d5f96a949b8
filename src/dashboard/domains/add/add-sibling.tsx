/** Offers the same domain without `www.`, or with it, once one of the two is live. */

import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { showFailure } from '../../ui/feedback/notices.ts'
import { addDomain, type Domain, domainsQuery } from '../queries.ts'
import { siblingOf } from '../words.ts'

export function AddSibling({ domain: { projectId, unicodeHostname } }: { readonly domain: Domain }) {
  const [isBusy, setBusy] = useState(false)
  const [, navigate] = useLocation()
  const { data: domains } = useQuery(domainsQuery(projectId))
  const sibling = siblingOf(unicodeHostname)
  const main = domains?.find(({ role }) => role === 'primary')
  if (sibling === undefined || main === undefined) return null
  if (domains?.some((one) => one.unicodeHostname === sibling)) return null

  async function add(hostname: string): Promise<void> {
    setBusy(true)
    try {
      const added = await addDomain(projectId, { hostname })
      navigate(`/projects/${projectId}/domains/${added.hostname}`)
    } catch (error) {
      showFailure(error)
    } finally {
      setBusy(false)
    }
  }

  return (
    <div className="domain-note" role="note">
      <span>
        Also add {sibling}? It will lead to {main.unicodeHostname}.
      </span>
      <Button size="xs" variant="default" loading={isBusy} onClick={() => void add(sibling)}>
        Add {sibling}
      </Button>
    </div>
  )
}
