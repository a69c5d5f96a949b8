/** The form to add a domain. Pasted addresses are accepted. */

import { Checkbox, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { Schemas } from '../api/client.ts'
import { isApiError } from '../api/error.ts'
import { Form, useFields, verbatim } from '../ui/form.tsx'
import { addDomain, domainsQuery } from './queries.ts'
import { hostnameFault, hostnameIn, siblingOf } from './words.ts'

interface AddDomainProps {
  readonly projectId: number
  readonly onClose: () => void
}

export function AddDomain({ projectId, onClose }: AddDomainProps) {
  const [, navigate] = useLocation()
  const [withSibling, setWithSibling] = useState<boolean>()
  const { data: domains = [] } = useQuery(domainsQuery(projectId))
  const { values, of, reject } = useFields({ domain: '' })
  const hostname = hostnameIn(values.domain)
  const has = (name: string) => domains.some((one) => one.hostname === name || one.unicodeHostname === name)
  // Two labels are usually a whole domain, such as example.com; the server knows better.
  const found = siblingOf(hostname)
  const sibling = found === undefined || has(found) ? undefined : found
  const isWhole = sibling?.startsWith('www.') === true
  // A whole domain is harder to set up than the name in it that was entered.
  const isSiblingWanted = sibling !== undefined && (withSibling ?? isWhole)

  async function add(): Promise<void> {
    const known = has(hostname) ? 'This website has this domain already. It is in the list.' : undefined
    if (reject({ domain: known ?? hostnameFault(hostname) })) return
    try {
      const body = { hostname, ...(isSiblingWanted ? { withWww: true } : {}) } as Schemas['NewDomain']
      const domain = await addDomain(projectId, body)
      onClose()
      navigate(`/projects/${projectId}/domains/${domain.hostname}`)
    } catch (error) {
      if (isApiError(error, 'domain_taken')) reject({ domain: error.message })
      else if (isApiError(error, 'invalid_body')) reject({ domain: error.message.replace(/^hostname: /, '') })
      else throw error
    }
  }

  return (
    <Form onSubmit={add} action="Add domain" onCancel={onClose}>
      <TextInput
        {...of('domain')}
        label="Domain"
        description="You can paste an address. A whole domain (example.com) and a name in it (www.example.com) both work; a name in it is easier to set up."
        {...verbatim}
        inputMode="url"
        data-autofocus
      />
      {sibling !== undefined && (
        <Checkbox
          label={`Add ${sibling} too`}
          description={
            domains.length > 0
              ? 'It gets records of its own, and leads to the main address.'
              : `It gets records of its own, and leads to ${hostname}, the main address.`
          }
          checked={isSiblingWanted}
          onChange={({ currentTarget }) => setWithSibling(currentTarget.checked)}
        />
      )}
    </Form>
  )
}
