/** The domains of a project: the list, and one domain. */

import { Button } from '@mantine/core'
import { IconPlus, IconWorldWww } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, Route, Switch } from 'wouter'
import type { Schemas } from '../api/client.ts'
import { Empty, Loaded } from '../ui/feedback/states.tsx'
import { Section } from '../ui/page.tsx'
import { Status } from '../ui/status.tsx'
import { AddDomain } from './add-domain.tsx'
import { DomainView } from './domain-view.tsx'
import { domainsQuery } from './queries.ts'
import { stateLabels, stateTones } from './words.ts'
import '../ui/table.css'
import './domains.css'

type Project = Schemas['Project']

export function DomainsTab({ project }: { readonly project: Project }) {
  return (
    <Switch>
      <Route path="/projects/:id/domains/:hostname">
        {({ hostname }) => <DomainView key={hostname} projectId={project.id} hostname={decodeURIComponent(hostname)} />}
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
  const add = (
    <Button size="xs" leftSection={<IconPlus size={14} />} onClick={() => setAdding(true)}>
      Add domain
    </Button>
  )
  return (
    <Section
      title="Domains"
      lead="Your own names for this website."
      actions={query.data?.length === 0 ? undefined : add}
    >
      <Loaded query={query}>
        {(domains) =>
          domains.length === 0 ? (
            <Empty
              icon={<IconWorldWww size={28} />}
              title="No domain yet"
              text={
                project.liveDeploy === null
                  ? 'Publish the website first, then give it a domain of yours.'
                  : 'Add a domain that you own, such as www.example.com.'
              }
              actions={add}
            />
          ) : (
            <table className="table">
              <thead>
                <tr>
                  <th scope="col">Domain</th>
                  <th scope="col" className="wide">
                    Use
                  </th>
                  <th scope="col">State</th>
                </tr>
              </thead>
              <tbody>
                {domains.map((domain) => (
                  <tr key={domain.hostname}>
                    <td>
                      <Link href={`/projects/${project.id}/domains/${domain.hostname}`}>{domain.unicodeHostname}</Link>
                      <div className="quiet narrow">{purposeOf(domain)}</div>
                    </td>
                    <td className="wide">{purposeOf(domain)}</td>
                    <td>
                      <Status tone={stateTones[domain.state]}>{stateLabels[domain.state]}</Status>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )
        }
      </Loaded>
      <AddDomain project={project} opened={isAdding} onClose={() => setAdding(false)} />
    </Section>
  )
}

export function purposeOf({ role, redirect }: Schemas['Domain']): string {
  return role === 'primary' ? 'Main address' : `Leads to ${redirect?.to ?? 'the main address'}`
}
