/** The pages of projects: the list, one project, and its domains. */

import { Button, Modal, Table, Text } from '@mantine/core'
import { IconPlus, IconWorld } from '@tabler/icons-react'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, Route, Switch, useLocation, useSearchParams } from 'wouter'
import { systemQuery } from '../api/system.ts'
import { Moment } from '../ui/moment.tsx'
import { Page } from '../ui/page.tsx'
import { Empty, Loaded } from '../ui/states.tsx'
import { Status } from '../ui/status.tsx'
import { OpeningRow, RecordTable, ShowMore, TableFrame, wide } from '../ui/table.tsx'
import { CreateProject } from './create-project.tsx'
import { HostingOff } from './hosting-off.tsx'
import { ProjectPage } from './project-page.tsx'
import { type Project, projectsQuery } from './queries.ts'
import { liveStateOf, useSite } from './site.ts'
import './projects.css'

export function ProjectsPage() {
  return (
    <Switch>
      <Route path="/projects">
        <ListPage />
      </Route>
      <Route path="/projects/:id/*?">{({ id }) => <ProjectPage key={id} id={Number(id)} />}</Route>
    </Switch>
  )
}

/** The list of projects. */
function ListPage() {
  const query = useInfiniteQuery(projectsQuery)
  const system = useQuery(systemQuery)
  const [parameters] = useSearchParams()
  const [, navigate] = useLocation()
  const close = () => navigate('/projects', { replace: true })
  return (
    <Page
      title="Projects"
      lead="A project is one of your websites: drop its folder, and it is online."
      actions={
        <Button component={Link} href="/projects?create=1" leftSection={<IconPlus size={16} />}>
          New project
        </Button>
      }
    >
      {system.data?.sitesDomain === null && <HostingOff />}
      {/* Both at once, so that nothing moves. */}
      <Loaded query={system.isPending ? { ...query, data: undefined } : query}>
        {(projects) =>
          projects.length === 0 ? (
            <Empty
              icon={<IconWorld size={28} />}
              title="Your first website"
              text="Make a project, then drop the folder with your website on it."
              actions={
                <Button component={Link} href="/projects?create=1" leftSection={<IconPlus size={16} />}>
                  New project
                </Button>
              }
            />
          ) : (
            <TableFrame>
              <RecordTable columns={['Project', wide('Address'), wide('Last deploy'), 'State']}>
                {projects.map((project) => (
                  <Row key={project.id} project={project} />
                ))}
              </RecordTable>
              <ShowMore query={query} label="Show more projects" />
            </TableFrame>
          )
        }
      </Loaded>
      <Modal opened={parameters.has('create')} onClose={close} title="New project">
        <CreateProject onClose={close} />
      </Modal>
    </Page>
  )
}

function Row({ project }: { readonly project: Project }) {
  const { id, name, slug, liveDeploy } = project
  const site = useSite(project)
  return (
    <OpeningRow>
      <Table.Td>
        <Link href={`/projects/${id}`}>{name}</Link>
        {site !== undefined && (
          <Text component="div" c="dimmed" size="sm" hiddenFrom="sm">
            {site.host}
          </Text>
        )}
      </Table.Td>
      <Table.Td visibleFrom="sm">
        {site?.isOpen === true ? (
          <a href={site.url} target="_blank" rel="noreferrer">
            {site.host}
          </a>
        ) : (
          <span className="quiet">{site?.host ?? slug}</span>
        )}
      </Table.Td>
      <Table.Td visibleFrom="sm">
        {liveDeploy === null ? 'Never' : <Moment time={liveDeploy.createdAt} isRelative />}
      </Table.Td>
      <Table.Td>
        {liveDeploy === null ? <Status of={['Empty', 'quiet']} /> : <Status of={liveStateOf(site)} />}
      </Table.Td>
    </OpeningRow>
  )
}
