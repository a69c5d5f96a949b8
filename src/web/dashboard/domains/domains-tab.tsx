/** The domains of a project: the list, and one domain. */

import { Button, Menu, Modal } from '@mantine/core'
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
import { OpeningRow, TableHead } from '../ui/table.tsx'
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
              <Table domains={domains} onRemove={setRemoving} />
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

interface TableProps {
  readonly domains: readonly Domain[]
  readonly onRemove: (domain: Domain) => void
}

function Table({ domains, onRemove }: TableProps) {
  return (
    <table className="table">
      <TableHead columns={['Domain', { wide: 'Use' }, { wide: 'State' }, { hidden: 'Actions' }]} />
      <tbody>
        {domains.map((domain) => (
          <OpeningRow key={domain.hostname}>
            <td>
              <Link href={`/projects/${domain.projectId}/domains/${domain.hostname}`}>{domain.unicodeHostname}</Link>
              {domain.hostname !== domain.unicodeHostname && <div className="quiet">{domain.hostname}</div>}
              <div className="quiet narrow">{purposeOf(domain, domains)}</div>
              <div className="narrow">
                <Status of={stateOf(domain)} />
              </div>
            </td>
            <td className="wide">{purposeOf(domain, domains)}</td>
            <td className="wide">
              <Status of={stateOf(domain)} />
            </td>
            <td className="table-actions">
              <RowMenu domain={domain} onRemove={onRemove} />
            </td>
          </OpeningRow>
        ))}
      </tbody>
    </table>
  )
}

function RowMenu({ domain, onRemove }: { readonly domain: Domain; readonly onRemove: TableProps['onRemove'] }) {
  const verify = (): Promise<void> =>
    verifyDomain(domain)
      .then((checked) => showDone(`${domain.unicodeHostname} is checked: ${stateOf(checked)[0].toLowerCase()}.`))
      .then(refreshShown)
      .catch((error) => showFailure(error, undefined, verify))
  return (
    <RecordMenu label={`More for ${domain.unicodeHostname}`}>
      <Menu.Item onClick={() => void verify()}>{verifyLabel(domain)}</Menu.Item>
      <Menu.Item className="danger" onClick={() => onRemove(domain)}>
        Remove domain
      </Menu.Item>
    </RecordMenu>
  )
}
