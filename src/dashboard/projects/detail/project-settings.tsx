/** Renames a project, or deletes it. */

import { Button, Group, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useLocation } from 'wouter'
import { api } from '../../api/client.ts'
import { Confirm, FormError } from '../../ui/feedback/confirm.tsx'
import { showDone } from '../../ui/feedback/notices.ts'
import { Section } from '../../ui/page.tsx'
import { projectNameProblem } from '../create-project.tsx'
import { type Project, refreshProjects } from '../queries.ts'

export function ProjectSettings({ project }: { readonly project: Project }) {
  const [isAsking, setAsking] = useState(false)
  const [, navigate] = useLocation()
  const path = { projectId: project.id }

  async function remove(): Promise<void> {
    await api.DELETE('/projects/{projectId}', { params: { path } })
    navigate('/projects')
    showDone(`The project “${project.name}” is deleted.`)
    await refreshProjects()
  }

  return (
    <>
      <Rename project={project} />
      <Section title="Delete project" lead="Its website goes offline at once, with all its deploys and domains.">
        <Button variant="default" onClick={() => setAsking(true)}>
          Delete project
        </Button>
      </Section>
      <Confirm
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={`Delete the project “${project.name}”?`}
        action="Delete project"
        cancel="Keep project"
        onConfirm={remove}
      >
        Its website goes offline at once, and its deploys and domains are removed. This can not be undone.
      </Confirm>
    </>
  )
}

function Rename({ project }: { readonly project: Project }) {
  const [name, setName] = useState(project.name)
  const [problem, setProblem] = useState<string>()
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    const found = projectNameProblem(name)
    setProblem(found)
    setError(undefined)
    if (found !== undefined) return
    setBusy(true)
    try {
      const path = { projectId: project.id }
      await api.PATCH('/projects/{projectId}', { params: { path }, body: { name: name.trim() } })
      await refreshProjects()
      showDone('The project has its new name. Its address stays.')
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }

  return (
    <Section title="Name">
      <form onSubmit={(event) => void submit(event)} noValidate>
        <Stack maw="26rem">
          <TextInput
            label="Name of the project"
            description="The address stays as it is."
            value={name}
            error={problem}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
          />
          {error !== undefined && <FormError error={error} />}
          <Group>
            <Button type="submit" loading={isBusy} disabled={name.trim() === project.name}>
              Save name
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  )
}
