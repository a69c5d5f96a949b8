/** The dialog to add a domain. Pasted addresses are accepted. */

import { Checkbox, Modal, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { api, bodyOf, type Schemas } from '../api/client.ts'
import { isApiError } from '../api/error.ts'
import { invalidateTopics } from '../api/queries.ts'
import { Form } from '../ui/form/form.tsx'
import { useTextField } from '../ui/form/text-field.ts'
import { hostnameIn } from './words.ts'

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
  const [withWww, setWithWww] = useState(true)
  const field = useTextField()
  const hostname = hostnameIn(field.value)
  // Two labels are usually a whole domain, such as example.com; the server knows better.
  const isWhole = hostname.split('.').length === 2

  async function add(): Promise<void> {
    if (!/^[^.\s]+(\.[^.\s]+)+$/.test(hostname)) {
      return field.reject('Enter a domain that you own, such as www.example.com.')
    }
    try {
      const body = { hostname, ...(isWhole && withWww ? { withWww: true } : {}) } as Schemas['NewDomain']
      const params = { path: { projectId: project.id } }
      const domain = await bodyOf(api.POST('/projects/{projectId}/domains', { params, body }))
      await invalidateTopics(['domains'])
      onClose()
      navigate(`/projects/${project.id}/domains/${domain.hostname}`)
    } catch (error) {
      if (isApiError(error, 'domain_taken')) field.reject('Another project has this domain already.')
      else if (isApiError(error, 'invalid_body')) field.reject(error.message)
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
      {isWhole && (
        <Checkbox
          label={`Add www.${hostname} too`}
          description="One of them becomes the main address, the other leads to it."
          checked={withWww}
          onChange={({ currentTarget }) => setWithWww(currentTarget.checked)}
        />
      )}
    </Form>
  )
}
