/** Renames a project, or deletes it. */

import { Box, Button, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { api } from '../api/client.ts'
import { Confirm, Form, useFields } from '../ui/form.tsx'
import { isolated } from '../ui/format.ts'
import { showDone } from '../ui/notices.tsx'
import { Section } from '../ui/page.tsx'
import { projectNameProblem } from './name.ts'
import type { Project } from './queries.ts'

export function ProjectSettings({ project }: { readonly project: Project }) {
  const [isAsking, setAsking] = useState(false)
  const [, navigate] = useLocation()
  const path = { projectId: project.id }

  async function remove(): Promise<void> {
    await api.DELETE('/projects/{projectId}', { params: { path } })
    navigate('/projects')
    showDone(`The project “${isolated(project.name)}” is deleted.`)
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
  const { values, of, reject } = useFields({ name: project.name })

  async function save(): Promise<void> {
    if (reject({ name: projectNameProblem(values.name) })) return
    const params = { path: { projectId: project.id } }
    await api.PATCH('/projects/{projectId}', { params, body: { name: values.name.trim() } })
    showDone('The project has its new name. Its address stays.')
  }

  return (
    <Section title="Name">
      <Box maw="26rem">
        <Form onSubmit={save} action="Save name" isDisabled={values.name.trim() === project.name}>
          <TextInput {...of('name')} label="Name of the project" description="The address stays as it is." />
        </Form>
      </Box>
    </Section>
  )
}
