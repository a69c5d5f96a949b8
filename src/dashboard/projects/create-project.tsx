/** The dialog to make a project. */

import { Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { api, bodyOf } from '../api/client.ts'
import { useSession } from '../session/use-session.ts'
import { FormError } from '../ui/feedback/confirm.tsx'
import { refreshProjects } from './queries.ts'

export function CreateProject({ opened, onClose }: { readonly opened: boolean; readonly onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title="New project">
      <Form onClose={onClose} />
    </Modal>
  )
}

const longestName = 100

/** What is wrong with a name; undefined if nothing is. */
export function projectNameProblem(name: string): string | undefined {
  const length = [...name.trim()].length
  if (length === 0) return 'Enter a name, such as Storefront. It becomes a part of the address.'
  return length > longestName ? `This name is too long. Use at most ${longestName} letters.` : undefined
}

function Form({ onClose }: { readonly onClose: () => void }) {
  const { account } = useSession()
  const [, navigate] = useLocation()
  const [name, setName] = useState('')
  const [problem, setProblem] = useState<string>()
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const field = useRef<HTMLInputElement>(null)

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    const found = projectNameProblem(name)
    setProblem(found)
    setError(undefined)
    if (found !== undefined) {
      field.current?.focus()
      return
    }
    setBusy(true)
    try {
      const project = await bodyOf(api.POST('/projects', { body: { name: name.trim(), accountId: account.id } }))
      await refreshProjects()
      navigate(`/projects/${project.id}`, { replace: true })
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }

  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <Stack>
        <TextInput
          ref={field}
          label="Name"
          description="The address is made from it, and stays when you rename the project."
          value={name}
          error={problem}
          autoComplete="off"
          data-autofocus
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        {error !== undefined && <FormError error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isBusy}>
            Create project
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
