/** The question before a domain is removed. */

import { Checkbox } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Confirm } from '../ui/form.tsx'
import { showDone } from '../ui/notices.tsx'
import { type Domain, domainsQuery, removeDomain } from './queries.ts'
import { siblingOf } from './words.ts'

interface RemoveDomainProps {
  /** Undefined while nothing is asked. */
  readonly domain: Domain | undefined
  readonly onClose: () => void
  /** Whether the domain is being removed: nothing is to be fetched about it then. */
  readonly onRemoving?: (isRemoving: boolean) => void
  readonly onRemoved?: () => void
}

export function RemoveDomain({ domain, onClose, onRemoving, onRemoved }: RemoveDomainProps) {
  const name = domain?.unicodeHostname ?? ''
  const { data: domains = [] } = useQuery({ ...domainsQuery(domain?.projectId ?? 0), enabled: domain !== undefined })
  const sibling = domains.find(({ hostname }) => domain !== undefined && hostname === siblingOf(domain.hostname))
  // Of another domain, nothing is ticked yet.
  const [both, setBoth] = useState<string>()
  const isBoth = both !== undefined && both === domain?.hostname

  async function remove(): Promise<void> {
    if (domain === undefined) return
    onRemoving?.(true)
    try {
      // The sibling first: without it, the domain would redirect its visitors there for a moment.
      if (isBoth && sibling !== undefined) await removeDomain(sibling)
      await removeDomain(domain)
    } catch (error) {
      onRemoving?.(false)
      throw error
    }
    onRemoved?.()
    showDone(
      isBoth && sibling !== undefined ? `${name} and ${sibling.unicodeHostname} are removed.` : `${name} is removed.`,
    )
  }

  return (
    <Confirm
      opened={domain !== undefined}
      onClose={onClose}
      title={`Remove ${name}?`}
      action="Remove domain"
      cancel="Keep domain"
      onConfirm={remove}
    >
      Visitors to {name} no longer reach your website, from this moment on. Its records at your provider stay until you
      remove them there.
      {sibling !== undefined && (
        <Checkbox
          mt="md"
          label={`Remove ${sibling.unicodeHostname} too`}
          description="Otherwise it stays, and keeps its certificate."
          checked={isBoth}
          onChange={({ currentTarget }) => setBoth(currentTarget.checked ? domain?.hostname : undefined)}
        />
      )}
    </Confirm>
  )
}
