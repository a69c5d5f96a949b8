/** The endpoints of domains. */

import { created, endpoint, json, mergePatch, page, performed, removed, resource, updated } from '../../api/endpoint.ts'
import { idParameter } from '../../api/parameters.ts'
import { checksPerMinute } from './checks/queue.ts'
import { domainParameter } from './hostname.ts'
import { assertRoleRequest, maximumDomains } from './roles.ts'
import {
  Diagnosis,
  Domain,
  DomainChange,
  DomainCheck,
  DomainEvents,
  Domains,
  domainParameters,
  NewDomain,
  NewDomainCheck,
  Redirects,
} from './schemas.ts'

const projectId = idParameter('Id of the project.')
const params = { projectId }
const domainParams = { projectId, hostname: domainParameter('The hostname of the domain, in ASCII or Unicode.') }
const domainPath = '/projects/{projectId}/domains/{hostname}'
const common = { tag: 'projects' } as const

export const domainEndpoints = {
  listAllDomains: endpoint({
    ...common,
    method: 'GET',
    path: '/domains',
    query: domainParameters,
    summary: 'List the domains of all projects',
    description:
      'Returns a page of domains, the oldest first: those of the projects of the account of the key, or of all projects with the scope `admin`. With `hostname`, those with that name: several projects may claim it until one of them is verified.',
    scope: 'projects:read',
    success: page(Domains, { description: 'A page of domains.', cursorName: 'all-domains' }),
  }),
  checkDomain: endpoint({
    ...common,
    method: 'POST',
    path: '/domains/check',
    summary: 'Check the DNS of a name',
    description:
      'Checks the DNS of any name, which need not be a domain of a project, and stores nothing. A domain of a project is compared with the records of that project, any other name with those of any project. The members besides `hostname` replace options with which the service was started. Takes at most 15 seconds. `petstore domains check` prints the response.',
    scope: 'admin',
    body: json(NewDomainCheck),
    success: performed(DomainCheck, { description: 'The result.', inSteps: true, isUnconditional: true }),
  }),
  listDomains: endpoint({
    ...common,
    method: 'GET',
    path: '/projects/{projectId}/domains',
    params,
    summary: 'List the domains of a project',
    description: 'Returns a page of the domains of a project, the oldest first.',
    scope: 'projects:read',
    success: page(Domains, { description: 'A page of domains.', cursorName: 'domains' }),
  }),
  createDomain: endpoint({
    ...common,
    method: 'POST',
    path: '/projects/{projectId}/domains',
    params,
    summary: 'Add a domain',
    description: `Adds a domain to a project. The response has the DNS records to create, the one that leads visitors here first. The first domain of a project is its primary domain, and others redirect to it. Needs the plan pro or above, and a deploy. A project has at most ${maximumDomains} domains.\n\nIf another project uses the name, its records are checked at once: the name is rejected only while they lead there or cannot be checked. The service needs \`--platform-domain\`.`,
    scope: 'projects:write',
    body: json(NewDomain, assertRoleRequest),
    success: created(Domain, { description: 'The domain.', inSteps: true }),
    errors: ['plan_required', 'no_successful_deploy', 'domain_taken', 'conflict'],
  }),
  getDomain: endpoint({
    ...common,
    method: 'GET',
    path: domainPath,
    params: domainParams,
    summary: 'Fetch a domain',
    description: 'Returns one domain with its state, its records and the findings of the last check.',
    scope: 'projects:read',
    success: resource(Domain, { description: 'The domain.' }),
  }),
  updateDomain: endpoint({
    ...common,
    method: 'PATCH',
    path: domainPath,
    params: domainParams,
    summary: 'Change a domain',
    description:
      'Changes role, redirect and HSTS. If a domain becomes the primary, all others redirect to it. The primary becomes a redirect only when another domain becomes the primary.',
    scope: 'projects:write',
    body: mergePatch(DomainChange),
    success: updated(Domain, { description: 'The domain as it is now.' }),
    errors: ['conflict'],
  }),
  deleteDomain: endpoint({
    ...common,
    method: 'DELETE',
    path: domainPath,
    params: domainParams,
    summary: 'Remove a domain',
    description:
      'Removes a domain, which is no longer served from this moment on. If it was the primary, the oldest active domain takes its place, and the others redirect to that one.',
    scope: 'projects:write',
    success: removed({ description: 'The domain is removed.' }),
  }),
  verifyDomain: endpoint({
    ...common,
    method: 'POST',
    path: `${domainPath}/verify`,
    params: domainParams,
    summary: 'Verify a domain',
    description: `Checks the DNS of a domain now and returns the domain with the result. If a check of it is running, the request waits for that one. After 25 seconds the response has the stored result, and the check continues.\n\nAn account may start ${checksPerMinute} checks a minute. A domain that is not proven yet is then checked automatically for another 48 hours.`,
    scope: 'projects:write',
    success: performed(Domain, { description: 'The domain after the check.', inSteps: true }),
    errors: ['domain_taken', 'conflict'],
  }),
  getDomainDiagnosis: endpoint({
    ...common,
    method: 'GET',
    path: `${domainPath}/diagnosis`,
    params: domainParams,
    summary: 'Read the diagnosis of a domain',
    description: 'Returns the findings of the last check, with the reply of each server. It starts no check.',
    scope: 'projects:read',
    success: resource(Diagnosis, { description: 'The findings.' }),
  }),
  listDomainEvents: endpoint({
    ...common,
    method: 'GET',
    path: `${domainPath}/events`,
    params: domainParams,
    summary: 'Read the history of a domain',
    description: 'Returns a page of the events of a domain, the newest first.',
    scope: 'projects:read',
    success: page(DomainEvents, { description: 'A page of events.', cursorName: 'domain-events' }),
  }),
  listRedirects: endpoint({
    ...common,
    method: 'GET',
    path: '/projects/{projectId}/redirects',
    params,
    summary: 'List the redirects of a project',
    description: 'Returns a page of the redirects between the domains of a project.',
    scope: 'projects:read',
    success: page(Redirects, { description: 'A page of redirects.', cursorName: 'redirects' }),
  }),
}
