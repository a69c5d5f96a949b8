/** The domains of a project: the list with the form that adds one, and one domain. */

import { Box, Button, Checkbox, Menu, Modal, Stack, Table, TextInput } from '@mantine/core'
import { IconPlus, IconWorldWww } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, Route, Switch, useLocation } from 'wouter'
import type { Schemas } from '../api/client.ts'
import { isApiError } from '../api/error.ts'
import { refreshShown } from '../api/queries.ts'
import { isPublished } from '../projects/queries.ts'
import { Form, useFields, verbatim } from '../ui/form.tsx'
import { showDone, showFailure } from '../ui/notices.tsx'
import { Section } from '../ui/page.tsx'
import { RecordMenu } from '../ui/record-menu.tsx'
import { Quiet } from '../ui/small.ts'
import { Empty, Loaded } from '../ui/states.tsx'
import { Status } from '../ui/status.tsx'
import { buttons, OpeningRow, RecordTable, wide } from '../ui/table.tsx'
import { DomainView } from './domain-view.tsx'
import { StandIn } from './offers.tsx'
import { addDomain, type Domain, domainsQuery, verifyDomain } from './queries.ts'
import { RemoveDomain } from './remove-domain.tsx'
import { hostnameFault, hostnameIn, purposeOf, siblingOf, stateOf, verifyLabel } from './words.ts'

type Project = Schemas['Project']

export function DomainsTab({ project }: { readonly project: Project }) {
  return (
    <Switch>
      <Route path="/projects/:id/domains/:hostname">
        {({ hostname }) => <DomainView key={hostname} projectId={project.id} hostname={hostname} />}
      </Route>
      <Route>
        <List project={project} />
      </Route>
    </Switch>
  )
}

function List({ project }: { readonly project: Project }) {
  const query = useQuery(domainsQuery(project.id))
  const [isAdding, setAdding] = useState(false)
  const [removing, setRemoving] = useState<Domain>()
  const add = (
    <Button size="xs" leftSection={<IconPlus size={14} />} onClick={() => setAdding(true)}>
      Add domain
    </Button>
  )
  return (
    <Section
      title="Domains"
      lead="Your own domain names for this website."
      actions={query.data?.length === 0 || !isPublished(project) ? undefined : add}
    >
      <Loaded query={query}>
        {(domains) =>
          domains.length > 0 ? (
            <Stack>
              <StandIn domains={domains} />
              <DomainTable domains={domains} onRemove={setRemoving} />
            </Stack>
          ) : !isPublished(project) ? (
            <Empty
              icon={<IconWorldWww size={28} />}
              title="No domain yet"
              text="Publish the website first, then add your own domain."
              actions={
                <Button component={Link} href={`/projects/${project.id}`} size="xs">
                  Publish website
                </Button>
              }
            />
          ) : (
            <Empty
              icon={<IconWorldWww size={28} />}
              title="No domain yet"
              text="Add a domain that you own, such as www.example.com."
              actions={add}
            />
          )
        }
      </Loaded>
      <Modal opened={isAdding} onClose={() => setAdding(false)} title="Add domain">
        <AddDomain projectId={project.id} onClose={() => setAdding(false)} />
      </Modal>
      <RemoveDomain domain={removing} onClose={() => setRemoving(undefined)} />
    </Section>
  )
}

interface AddDomainProps {
  readonly projectId: number
  readonly onClose: () => void
}

function AddDomain({ projectId, onClose }: AddDomainProps) {
  const [, navigate] = useLocation()
  const [withSibling, setWithSibling] = useState<boolean>()
  const { data: domains = [] } = useQuery(domainsQuery(projectId))
  const { values, of, reject } = useFields({ domain: '' })
  const hostname = hostnameIn(values.domain)
  const has = (name: string) => domains.some((one) => one.hostname === name || one.unicodeHostname === name)
  // Two labels are usually a root domain, such as example.com; the server knows better.
  const found = siblingOf(hostname)
  const sibling = found === undefined || has(found) ? undefined : found
  const isRoot = sibling?.startsWith('www.') === true
  // A root domain is harder to set up than the subdomain that was entered.
  const isSiblingWanted = sibling !== undefined && (withSibling ?? isRoot)

  async function add(): Promise<void> {
    const known = has(hostname) ? 'This website already has this domain: it is in the list.' : undefined
    if (reject({ domain: known ?? hostnameFault(hostname) })) return
    try {
      const body = { hostname, ...(isSiblingWanted ? { withWww: true } : {}) } as Schemas['NewDomain']
      const domain = await addDomain(projectId, body)
      onClose()
      navigate(`/projects/${projectId}/domains/${domain.hostname}`)
    } catch (error) {
      if (isApiError(error, 'domain_taken')) reject({ domain: error.message })
      else if (isApiError(error, 'invalid_body')) reject({ domain: error.message.replace(/^hostname: /, '') })
      else throw error
    }
  }

  return (
    <Form onSubmit={add} action="Add domain" onCancel={onClose}>
      <TextInput
        {...of('domain')}
        label="Domain"
        description="You can paste an address. Both a root domain (example.com) and a subdomain (www.example.com) work; a subdomain is easier to set up."
        {...verbatim}
        inputMode="url"
        data-autofocus
      />
      {sibling !== undefined && (
        <Checkbox
          label={`Add ${sibling} too`}
          description={
            domains.length > 0
              ? 'It has separate records, and redirects to the main address.'
              : `It has separate records, and redirects to ${hostname}, the main address.`
          }
          checked={isSiblingWanted}
          onChange={({ currentTarget }) => setWithSibling(currentTarget.checked)}
        />
      )}
    </Form>
  )
}

interface DomainTableProps {
  readonly domains: readonly Domain[]
  readonly onRemove: (domain: Domain) => void
}

function DomainTable({ domains, onRemove }: DomainTableProps) {
  return (
    <RecordTable isInSection columns={['Domain', wide('Use'), wide('State'), buttons('Actions')]}>
      {domains.map((domain) => (
        <OpeningRow key={domain.hostname}>
          <Table.Td>
            <Link href={`/projects/${domain.projectId}/domains/${domain.hostname}`}>{domain.unicodeHostname}</Link>
            {domain.hostname !== domain.unicodeHostname && <Quiet>{domain.hostname}</Quiet>}
            <Quiet hiddenFrom="sm">{purposeOf(domain, domains)}</Quiet>
            <Box hiddenFrom="sm">
              <Status of={stateOf(domain)} />
            </Box>
          </Table.Td>
          <Table.Td visibleFrom="sm">{purposeOf(domain, domains)}</Table.Td>
          <Table.Td visibleFrom="sm">
            <Status of={stateOf(domain)} />
          </Table.Td>
          <Table.Td ta="end">
            <RowMenu domain={domain} onRemove={onRemove} />
          </Table.Td>
        </OpeningRow>
      ))}
    </RecordTable>
  )
}

function RowMenu({ domain, onRemove }: { readonly domain: Domain; readonly onRemove: DomainTableProps['onRemove'] }) {
  const verify = (): Promise<void> =>
    verifyDomain(domain)
      .then((checked) => showDone(`${domain.unicodeHostname} is checked: ${stateOf(checked)[0].toLowerCase()}.`))
      .then(refreshShown)
      .catch((error) => showFailure(error, undefined, verify))
  return (
    <RecordMenu label={`More for ${domain.unicodeHostname}`}>
      <Menu.Item onClick={() => void verify()}>{verifyLabel(domain)}</Menu.Item>
      <Menu.Item c="var(--bad)" onClick={() => onRemove(domain)}>
        Remove domain
      </Menu.Item>
    </RecordMenu>
  )
}
