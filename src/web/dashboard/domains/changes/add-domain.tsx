/** The dialog to add a domain. Pasted addresses are accepted. */

import { Checkbox, Modal, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { Schemas } from '../../api/client.ts'
import { isApiError } from '../../api/error.ts'
import { Form } from '../../ui/form/form.tsx'
import { useTextField } from '../../ui/form/text-field.ts'
import { addDomain, domainsQuery } from '../queries.ts'
import { hostnameFault, hostnameIn, siblingOf } from '../words.ts'

interface AddDomainProps {
  readonly project: Schemas['Project']
  readonly opened: boolean
  readonly onClose: () => void
}

export function AddDomain({ project, opened, onClose }: AddDomainProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Add domain">
      <DomainForm project={project} onClose={onClose} />
    </Modal>
  )
}

function DomainForm({ project, onClose }: Omit<AddDomainProps, 'opened'>) {
  const [, navigate] = useLocation()
  const [withSibling, setWithSibling] = useState<boolean>()
  const { data: domains = [] } = useQuery(domainsQuery(project.id))
  const field = useTextField()
  const hostname = hostnameIn(field.value)
  const has = (name: string) => domains.some((one) => one.hostname === name || one.unicodeHostname === name)
  // Two labels are usually a whole domain, such as example.com; the server knows better.
  const found = siblingOf(hostname)
  const sibling = found === undefined || has(found) ? undefined : found
  const isWhole = sibling?.startsWith('www.') === true
  // A whole domain is harder to set up than the name in it that was entered.
  const isSiblingWanted = sibling !== undefined && (withSibling ?? isWhole)

  async function add(): Promise<void> {
    const fault = hostnameFault(hostname)
    if (fault !== undefined) return field.reject(fault)
    if (has(hostname)) return field.reject('This website has this domain already. It is in the list.')
    try {
      const body = { hostname, ...(isSiblingWanted ? { withWww: true } : {}) } as Schemas['NewDomain']
      const domain = await addDomain(project.id, body)
      onClose()
      navigate(`/projects/${project.id}/domains/${domain.hostname}`)
    } catch (error) {
      if (isApiError(error, 'domain_taken')) field.reject(error.message)
      else if (isApiError(error, 'invalid_body')) field.reject(error.message.replace(/^hostname: /, ''))
      else throw error
    }
  }

  return (
    <Form onSubmit={add} action="Add domain" onCancel={onClose}>
      <TextInput
        {...field.props}
        label="Domain"
        description="You can paste an address. A whole domain (example.com) and a name in it (www.example.com) both work; a name in it is easier to set up."
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
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
