/** The dialog to make a project. */

import { Button, Modal, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { api, bodyOf } from '../api/client.ts'
import { useSession } from '../session/use-session.ts'
import { showDone } from '../ui/feedback/notices.ts'
import { useIsShown } from '../ui/feedback/use-is-shown.ts'
import { AccountField } from '../ui/form/account-field.tsx'
import { Form } from '../ui/form/form.tsx'
import { useTextField } from '../ui/form/text-field.ts'
import { isolated } from '../ui/format.ts'
import { isAddress, nameInAddress, projectNameProblem } from './name.ts'
import { previewQuery, refreshProjects } from './queries.ts'
import './projects.css'

export function CreateProject({ opened, onClose }: { readonly opened: boolean; readonly onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title="New project">
      <ProjectForm onClose={onClose} />
    </Modal>
  )
}

function ProjectForm({ onClose }: { readonly onClose: () => void }) {
  const { account } = useSession()
  const [, navigate] = useLocation()
  const isShown = useIsShown()
  const [accountId, setAccountId] = useState<number | undefined>(account.id)
  const [accountError, setAccountError] = useState<string>()
  const name = useTextField()

  async function create(): Promise<void> {
    const problem = projectNameProblem(name.value)
    if (problem !== undefined) return name.reject(problem)
    if (isAddress(name.value)) return name.reject('This is an address. Enter a name, such as Kiosk.')
    if (accountId === undefined) return setAccountError('Choose an account.')
    const project = await bodyOf(api.POST('/projects', { body: { name: name.value.trim(), accountId } }))
    await refreshProjects()
    if (!isShown()) return showDone(`The project “${isolated(project.name)}” is created.`)
    navigate(`/projects/${project.id}`, { replace: true })
  }

  return (
    <Form onSubmit={create} action="Create project" onCancel={onClose}>
      <TextInput
        {...name.props}
        label="Name"
        description="What you call the website. Its first address is made from it."
        autoComplete="off"
        data-autofocus
      />
      <NameHint name={name.value} accountId={accountId ?? account.id} onUse={name.set} />
      <AccountField
        value={accountId}
        onChange={(id) => {
          setAccountId(id)
          setAccountError(undefined)
        }}
        error={accountError}
        description="Whose website it is: its plan decides whether it can have a domain of its own."
      />
    </Form>
  )
}

const typingPauseMs = 250

interface NameHintProps {
  readonly name: string
  readonly accountId: number
  readonly onUse: (name: string) => void
}

/** The address that a website of that name would have, or a better name. */
function NameHint({ name, accountId, onUse }: NameHintProps) {
  const [settled] = useDebouncedValue(name, typingPauseMs)
  const isUsable = projectNameProblem(settled) === undefined && !isAddress(settled)
  const { data } = useQuery({ ...previewQuery(settled.trim(), accountId), enabled: isUsable })
  const better = nameInAddress(name)
  if (isAddress(name)) {
    return (
      <div className="project-hint" role="status">
        <span>This is an address, not a name. You add a domain of your own after publishing.</span>
        {better !== undefined && (
          <Button size="xs" variant="default" className="long-label" onClick={() => onUse(better)}>
            Use the name “{better}”
          </Button>
        )}
      </div>
    )
  }
  return (
    <div className="project-hint" role="status">
      {data !== undefined && isUsable && (
        <span>
          Its address will be <strong>{data.url === null ? `${data.slug}.…` : new URL(data.url).host}</strong>, and
          stays when you rename it. You can add a domain of your own after publishing.
        </span>
      )}
    </div>
  )
}
