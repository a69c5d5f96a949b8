/** One project: what is published, its domains, its name. */

import { Button } from '@mantine/core'
import { IconArrowLeft, IconExternalLink } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from 'wouter'
import { DomainsTab } from '../domains/domains-tab.tsx'
import { Page, Tabs } from '../ui/page.tsx'
import { Loaded } from '../ui/states.tsx'
import { AddressSection } from './address-section.tsx'
import { Deploys } from './deploys.tsx'
import { DropZone } from './drop-zone.tsx'
import { HostingOff } from './hosting-off.tsx'
import { ProjectSettings } from './project-settings.tsx'
import { type Project, projectQuery } from './queries.ts'
import { useSite, waitingWords } from './site.ts'
import './projects.css'

export function ProjectPage({ id }: { readonly id: number }) {
  const query = useQuery(projectQuery(id))
  return (
    <Page
      title={query.data?.name ?? 'Project'}
      lead={query.data === undefined ? undefined : <Address project={query.data} />}
      actions={
        <Button component={Link} href="/projects" variant="default" leftSection={<IconArrowLeft size={16} />}>
          Projects
        </Button>
      }
    >
      <Loaded query={query} list={{ href: '/projects', label: 'Show all projects' }}>
        {(project) => <Parts project={project} />}
      </Loaded>
    </Page>
  )
}

function Address({ project }: { readonly project: Project }) {
  const site = useSite(project)
  if (site === undefined) return project.slug
  const { host, url, isOpen } = site
  if (!isOpen) return waitingWords(project, host)
  return (
    <a href={url} target="_blank" rel="noreferrer">
      {host}
      <IconExternalLink size={14} aria-hidden="true" className="project-external" />
      <span className="visually-hidden"> (opens in a new tab)</span>
    </a>
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
        <>
          <DropZone project={project} />
          <AddressSection project={project} />
          <Deploys project={project} />
        </>
      )}
    </>
  )
}
