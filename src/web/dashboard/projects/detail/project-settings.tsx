/** Renames a project, or deletes it. */

import { Box, Button, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { api } from '../../api/client.ts'
import { Confirm } from '../../ui/feedback/confirm.tsx'
import { showDone } from '../../ui/feedback/notices.ts'
import { Form } from '../../ui/form/form.tsx'
import { useTextField } from '../../ui/form/text-field.ts'
import { isolated } from '../../ui/format.ts'
import { Section } from '../../ui/page.tsx'
import { projectNameProblem } from '../name.ts'
import { type Project, refreshProjects } from '../queries.ts'

export function ProjectSettings({ project }: { readonly project: Project }) {
  const [isAsking, setAsking] = useState(false)
  const [, navigate] = useLocation()
  const path = { projectId: project.id }

  async function remove(): Promise<void> {
    await api.DELETE('/projects/{projectId}', { params: { path } })
    navigate('/projects')
    showDone(`The project “${isolated(project.name)}” is deleted.`)
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
        title={`Delete the project “${isolated(project.name)}”?`}
        action="Delete project"
        cancel="Keep project"
        onConfirm={remove}
      >
        Its website goes offline at once, and its deploys and domains are removed. This cannot be undone.
      </Confirm>
    </>
  )
}

function Rename({ project }: { readonly project: Project }) {
  const name = useTextField(project.name)

  async function save(): Promise<void> {
    const problem = projectNameProblem(name.value)
    if (problem !== undefined) return name.reject(problem)
    const params = { path: { projectId: project.id } }
    await api.PATCH('/projects/{projectId}', { params, body: { name: name.value.trim() } })
    await refreshProjects()
    showDone('The project has its new name. Its address stays.')
  }

  return (
    <Section title="Name">
      <Box maw="26rem">
        <Form onSubmit={save} action="Save name" isDisabled={name.value.trim() === project.name}>
          <TextInput {...name.props} label="Name of the project" description="The address stays as it is." />
        </Form>
      </Box>
    </Section>
  )
}
