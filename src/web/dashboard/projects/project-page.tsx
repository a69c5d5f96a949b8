/** One project: its website, its domains and its settings. */

import { Box, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { api } from '../api/client.ts'
import { DomainsTab } from '../domains/domains-tab.tsx'
import { ConfirmButton, Form, useFields } from '../ui/form.tsx'
import { isolated } from '../ui/format.ts'
import { showDone } from '../ui/notices.tsx'
import { BackLink, Page, Section, Tabs } from '../ui/page.tsx'
import { Loaded } from '../ui/states.tsx'
import { HostingOff } from './hosting-off.tsx'
import { projectNameProblem } from './name.ts'
import { type Project, projectQuery } from './queries.ts'
import { Address } from './site.tsx'
import { WebsiteTab } from './website-tab.tsx'

export function ProjectPage({ id }: { readonly id: number }) {
  const query = useQuery(projectQuery(id))
  return (
    <Page
      title={query.data?.name ?? 'Project'}
      lead={query.data === undefined ? undefined : <Address project={query.data} />}
      actions={<BackLink href="/projects">Projects</BackLink>}
    >
      <Loaded query={query} list={{ href: '/projects', label: 'Show all projects' }}>
        {(project) => <Parts project={project} />}
      </Loaded>
    </Page>
  )
}

function Parts({ project }: { readonly project: Project }) {
  const [location] = useLocation()
  const base = `/projects/${project.id}`
  const part = location.slice(base.length + 1).split('/')[0] ?? ''
  return (
    <>
      <Tabs
        label="Parts of the project"
        tabs={[
          { href: base, label: 'Website', isCurrent: part === '' },
          { href: `${base}/domains`, label: 'Domains', isCurrent: part === 'domains' },
          { href: `${base}/settings`, label: 'Settings', isCurrent: part === 'settings' },
        ]}
      />
      {project.url === null && <HostingOff />}
      {part === 'domains' ? (
        <DomainsTab project={project} />
      ) : part === 'settings' ? (
        <ProjectSettings project={project} />
      ) : (
        <WebsiteTab project={project} />
      )}
    </>
  )
}

/** Renames a project, or deletes it. */
function ProjectSettings({ project }: { readonly project: Project }) {
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
        <ConfirmButton
          title={`Delete the project “${isolated(project.name)}”?`}
          action="Delete project"
          cancel="Keep project"
          onConfirm={remove}
        >
          Its website goes offline at once, and its deploys and domains are removed. This cannot be undone.
        </ConfirmButton>
      </Section>
    </>
  )
}

function Rename({ project }: { readonly project: Project }) {
  const { values, of, reject } = useFields({ name: project.name })

  async function save(): Promise<void> {
    if (reject({ name: projectNameProblem(values.name) })) return
    const params = { path: { projectId: project.id } }
    await api.PATCH('/projects/{projectId}', { params, body: { name: values.name.trim() } })
    showDone('The project is renamed. Its address stays the same.')
  }

  return (
    <Section title="Name">
      <Box maw="26rem">
        <Form onSubmit={save} action="Save name" isDisabled={values.name.trim() === project.name}>
          <TextInput {...of('name')} label="Name of the project" description="The address stays the same." />
        </Form>
      </Box>
    </Section>
  )
}
