/** The pages of projects: the list with the form that creates one, and one project. */

import { Button, Group, Modal, Table, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconPlus, IconWorld } from '@tabler/icons-react'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, Route, Switch, useLocation, useSearchParams } from 'wouter'
import { api, bodyOf } from '../api/client.ts'
import { systemQuery } from '../api/system.ts'
import { useSession } from '../session/session.ts'
import { AccountField } from '../ui/account-field.tsx'
import { Form, useFields } from '../ui/form.tsx'
import { isolated } from '../ui/format.ts'
import { defined, typingPauseMs } from '../ui/input.ts'
import { Moment } from '../ui/moment.tsx'
import { showDone } from '../ui/notices.tsx'
import { Page } from '../ui/page.tsx'
import { Quiet, SmallButton } from '../ui/small.ts'
import { Empty, Loaded } from '../ui/states.tsx'
import { Status } from '../ui/status.tsx'
import { OpeningRow, RecordTable, ShowMore, TableFrame, wide } from '../ui/table.tsx'
import { HostingOff } from './hosting-off.tsx'
import { isAddress, nameInAddress, projectNameProblem } from './name.ts'
import { ProjectPage } from './project-page.tsx'
import { isPublished, type Project, previewQuery, projectsQuery } from './queries.ts'
import { liveStateOf, useSite } from './site.tsx'

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
      lead="A project is one of your websites. Drop its folder to put it online."
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
              text="Create a project, then drop the folder with your website on it."
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
  const { id, name, slug, liveDeploy, hasWebshop } = project
  const site = useSite(project)
  return (
    <OpeningRow>
      <Table.Td>
        <Link href={`/projects/${id}`}>{name}</Link>
        {site !== undefined && <Quiet hiddenFrom="sm">{site.host}</Quiet>}
      </Table.Td>
      <Table.Td visibleFrom="sm">
        {site?.isOpen === true ? (
          <a href={site.url} target="_blank" rel="noreferrer">
            {site.host}
          </a>
        ) : (
          <Quiet>{site?.host ?? slug}</Quiet>
        )}
      </Table.Td>
      <Table.Td visibleFrom="sm">
        {liveDeploy === null ? hasWebshop ? 'Web shop' : 'Never' : <Moment time={liveDeploy.createdAt} isRelative />}
      </Table.Td>
      <Table.Td>
        <Status of={isPublished(project) ? liveStateOf(site) : ['Empty', 'quiet']} />
      </Table.Td>
    </OpeningRow>
  )
}

/** The form that creates a project. */
function CreateProject({ onClose }: { readonly onClose: () => void }) {
  const own = useSession().account
  const [, navigate] = useLocation()
  const { values, wrong, of, change, focus, reject } = useFields({ name: '', account: own.id as number | undefined })

  async function create(isShown: () => boolean): Promise<void> {
    const name = values.name.trim()
    const problems = {
      name: isAddress(name) ? 'This is an address. Enter a name, such as Kiosk.' : projectNameProblem(name),
      account: values.account === undefined ? 'Choose an account.' : undefined,
    }
    if (reject(problems)) return
    const body = { name, ...defined({ accountId: values.account }) }
    const project = await bodyOf(api.POST('/projects', { body }))
    if (isShown()) navigate(`/projects/${project.id}`, { replace: true })
    else showDone(`The project “${isolated(project.name)}” is created.`)
  }

  return (
    <Form onSubmit={create} action="Create project" onCancel={onClose}>
      <TextInput
        {...of('name')}
        label="Name"
        description="What you call the website. Its first address is derived from the name."
        autoComplete="off"
        data-autofocus
      />
      <NameHint
        name={values.name}
        accountId={values.account ?? own.id}
        onUse={(name) => {
          change({ name })
          focus('name')
        }}
      />
      <AccountField
        value={values.account}
        onChange={(account) => change({ account })}
        error={wrong.account}
        description="The account that owns the website. Its plan decides whether the website can have a custom domain."
      />
    </Form>
  )
}

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
  return (
    <Group role="status" gap="xs" mih="2.6em" c="dimmed" fz="sm" className="breaks">
      {isAddress(name) ? (
        <>
          <span>This is an address, not a name. You can add your own domain after publishing.</span>
          {better !== undefined && (
            <SmallButton className="long-label" onClick={() => onUse(better)}>
              Use the name “{better}”
            </SmallButton>
          )}
        </>
      ) : (
        data !== undefined &&
        isUsable && (
          <span>
            Its address will be <strong>{data.url === null ? `${data.slug}.…` : new URL(data.url).host}</strong>, and
            stays the same when you rename it. You can add your own domain after publishing.
          </span>
        )
      )}
    </Group>
  )
}
