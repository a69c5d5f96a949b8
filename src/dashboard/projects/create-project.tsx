/** The dialog to make a project. */

import { Modal, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { api, bodyOf } from '../api/client.ts'
import { useSession } from '../session/use-session.ts'
import { AccountField } from '../ui/form/account-field.tsx'
import { Form } from '../ui/form/form.tsx'
import { useTextField } from '../ui/form/text-field.ts'
import { refreshProjects } from './queries.ts'

export function CreateProject({ opened, onClose }: { readonly opened: boolean; readonly onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title="New project">
      <ProjectForm onClose={onClose} />
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

function ProjectForm({ onClose }: { readonly onClose: () => void }) {
  const { account } = useSession()
  const [, navigate] = useLocation()
  const [accountId, setAccountId] = useState(account.id)
  const name = useTextField()

  async function create(): Promise<void> {
    const problem = projectNameProblem(name.value)
    if (problem !== undefined) return name.reject(problem)
    const project = await bodyOf(api.POST('/projects', { body: { name: name.value.trim(), accountId } }))
    await refreshProjects()
    navigate(`/projects/${project.id}`, { replace: true })
  }

  return (
    <Form onSubmit={create} action="Create project" onCancel={onClose}>
      <TextInput
        {...name.props}
        label="Name"
        description="The address is made from it, and stays when you rename the project."
        autoComplete="off"
        data-autofocus
      />
      <AccountField
        value={accountId}
        onChange={setAccountId}
        description="Whose website it is: its plan decides whether it can have a domain of its own."
      />
    </Form>
  )
}
