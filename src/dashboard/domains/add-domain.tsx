/** The dialog to add a domain. Pasted addresses are accepted. */

import { Button, Checkbox, Group, Modal, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { api, bodyOf, type Schemas } from '../api/client.ts'
import { isApiError } from '../api/error.ts'
import { invalidateTopics } from '../api/queries.ts'
import { FormError } from '../ui/feedback/confirm.tsx'
import { hostnameIn } from './words.ts'

interface AddDomainProps {
  readonly project: Schemas['Project']
  readonly opened: boolean
  readonly onClose: () => void
}

export function AddDomain({ project, opened, onClose }: AddDomainProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Add domain">
      <Form project={project} onClose={onClose} />
    </Modal>
  )
}

function Form({ project, onClose }: Omit<AddDomainProps, 'opened'>) {
  const [, navigate] = useLocation()
  const [text, setText] = useState('')
  const [withWww, setWithWww] = useState(true)
  const [problem, setProblem] = useState<string>()
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const hostname = hostnameIn(text)
  // Two labels are usually a whole domain, such as example.com; the server knows better.
  const isWhole = hostname.split('.').length === 2

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    setError(undefined)
    if (!/^[^.\s]+(\.[^.\s]+)+$/.test(hostname)) return reject('Enter a domain that you own, such as www.example.com.')
    setProblem(undefined)
    setBusy(true)
    try {
      const body = { hostname, ...(isWhole && withWww ? { withWww: true } : {}) } as Schemas['NewDomain']
      const params = { path: { projectId: project.id } }
      const domain = await bodyOf(api.POST('/projects/{projectId}/domains', { params, body }))
      await invalidateTopics(['domains'])
      onClose()
      navigate(`/projects/${project.id}/domains/${domain.hostname}`)
    } catch (failure) {
      if (isApiError(failure, 'domain_taken')) reject('Another project has this domain already.')
      else if (isApiError(failure, 'invalid_body')) reject(failure.message)
      else setError(failure)
    } finally {
      setBusy(false)
    }
  }

  function reject(message: string): void {
    setProblem(message)
    field.current?.focus()
  }

  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <Stack>
        <TextInput
          ref={field}
          label="Domain"
          description="You can paste an address. A whole domain (example.com) and a name in it (www.example.com) both work; a name in it is easier to set up."
          value={text}
          error={problem}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          inputMode="url"
          data-autofocus
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
        {isWhole && (
          <Checkbox
            label={`Add www.${hostname} too`}
            description="One of them becomes the main address, the other leads to it."
            checked={withWww}
            onChange={({ currentTarget }) => setWithWww(currentTarget.checked)}
          />
        )}
        {error !== undefined && <FormError error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isBusy}>
            Add domain
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
