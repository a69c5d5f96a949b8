/** The question before a domain is removed. */

import { useQuery } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { invalidateTopics } from '../api/queries.ts'
import { Confirm } from '../ui/feedback/confirm.tsx'
import { showDone } from '../ui/feedback/notices.ts'
import { type Domain, domainsQuery } from './queries.ts'
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

  async function remove(): Promise<void> {
    if (domain === undefined) return
    const path = { projectId: domain.projectId, hostname: domain.hostname }
    onRemoving?.(true)
    try {
      await api.DELETE('/projects/{projectId}/domains/{hostname}', { params: { path } })
    } catch (error) {
      onRemoving?.(false)
      throw error
    }
    onRemoved?.()
    showDone(`${name} is removed.`)
    await invalidateTopics(['domains'])
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
      Visitors of {name} no longer reach your website, from this moment on. Its records at your provider stay until you
      remove them there.
      {sibling !== undefined && ` ${sibling.unicodeHostname} stays: remove it too if you no longer need it.`}
    </Confirm>
  )
}
