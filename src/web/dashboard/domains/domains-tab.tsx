/** The domains of a project: the list, and one domain. */

import { Box, Button, Menu, Modal, Table, Text } from '@mantine/core'
import { IconPlus, IconWorldWww } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, Route, Switch } from 'wouter'
import type { Schemas } from '../api/client.ts'
import { refreshShown } from '../api/queries.ts'
import { showDone, showFailure } from '../ui/notices.tsx'
import { Section } from '../ui/page.tsx'
import { RecordMenu } from '../ui/record-menu.tsx'
import { Empty, Loaded } from '../ui/states.tsx'
import { Status } from '../ui/status.tsx'
import { buttons, OpeningRow, RecordTable, wide } from '../ui/table.tsx'
import { AddDomain } from './add-domain.tsx'
import { DomainView } from './domain-view.tsx'
import { StandIn } from './offers.tsx'
import { type Domain, domainsQuery, verifyDomain } from './queries.ts'
import { RemoveDomain } from './remove-domain.tsx'
import { purposeOf, stateOf, verifyLabel } from './words.ts'
import './domains.css'

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
      lead="Your own names for this website."
      actions={query.data?.length === 0 || project.liveDeploy === null ? undefined : add}
    >
      <Loaded query={query}>
        {(domains) =>
          domains.length > 0 ? (
            <>
              <StandIn domains={domains} />
              <DomainTable domains={domains} onRemove={setRemoving} />
            </>
          ) : project.liveDeploy === null ? (
            <Empty
              icon={<IconWorldWww size={28} />}
              title="No domain yet"
              text="Publish the website first, then give it a domain of yours."
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
            {domain.hostname !== domain.unicodeHostname && <div className="quiet">{domain.hostname}</div>}
            <Text component="div" c="dimmed" size="sm" hiddenFrom="sm">
              {purposeOf(domain, domains)}
            </Text>
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
