/** The JSON form of domains. */

import { type Static, Type } from '@sinclair/typebox'
import {
  countSchema,
  idSchema,
  integerEnum,
  nullable,
  openEnum,
  requestObject,
  stringEnum,
  timeSchema,
} from '../../api/schemas.ts'
import { Certificate, certificateExample } from '../projects/schemas.ts'
import { domainEventTypes } from './history.ts'
import { recordPurposes } from './records.ts'
import { redirectStatuses, roles } from './roles.ts'
import { dnsStatuses, domainStates } from './state.ts'

/** The longest hostname that is accepted, before it is normalised. */
const maximumGiven = 1_000

const hostname = (description: string) =>
  Type.String({ minLength: 1, maxLength: 253, pattern: '^\\S+$', description, examples: ['www.shop.example'] })

/** A text that is not empty. */
const sentence = (maxLength: number, description: string, example: string) =>
  Type.String({ minLength: 1, maxLength, pattern: '\\S', description, examples: [example] })

/** Any text, such as one from a DNS server. */
const anyText = (maxLength: number, description: string, example: string) =>
  Type.String({ maxLength, pattern: '^[\\s\\S]*$', description, examples: [example] })

const redirectStatus = (description = 'The status of the redirect.') =>
  integerEnum(redirectStatuses, { format: 'int32', description, examples: [301] })

const givenHostname = (description: string) =>
  Type.String({ minLength: 1, maxLength: maximumGiven, pattern: '\\S', description, examples: ['www.shop.example'] })

const RedirectTarget = requestObject(
  {
    to: givenHostname('The primary domain of the project. Chains of redirects are not possible.'),
    status: Type.Optional(redirectStatus('The status of the redirect; 301 if it is left out.')),
  },
  { description: 'Where a domain with the role `redirect` leads: to the primary domain.' },
)

const role = stringEnum(roles, {
  description: 'A project has one primary domain, which serves its site. All others redirect to it.',
  examples: ['primary'],
})

/** The rule of `assertRoleRequest` in JSON Schema. */
const roleCondition = {
  if: { properties: { role: { const: 'primary' } }, required: ['role'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { properties: { redirect: { type: 'null' } } },
}

const optionalTime = (description: string) => nullable(timeSchema(description))

const DnsRecord = Type.Object(
  {
    type: openEnum(['CNAME', 'ALIAS', 'A', 'AAAA', 'TXT'] as const, { description: 'The type of the record.' }),
    name: sentence(
      271,
      'The name as most providers expect it: without the domain itself, for which `@` stands.',
      'www',
    ),
    fqdn: sentence(271, 'The whole name.', 'www.shop.example'),
    value: sentence(253, 'The value of the record.', '9f86d081884c7d65.edge.stores.example'),
    ttl: Type.Integer({ format: 'int32', minimum: 1, maximum: 604_800, description: 'Seconds.', examples: [3_600] }),
    purpose: openEnum(recordPurposes, {
      description:
        '`routing` leads visitors here, `routing_alternative` does so where a provider has no ALIAS, `ownership` proves that the domain is yours.',
    }),
    note: nullable(sentence(1_000, 'A hint; null if there is none.', 'It must remain.')),
  },
  { title: 'DnsRecord', description: 'A DNS record to create.' },
)

const Observation = Type.Object(
  {
    server: anyText(400, 'The server, by name and address.', 'ns1.shop.example (192.0.2.1)'),
    rcode: anyText(40, 'The code of its reply, or why there was none.', 'NOERROR'),
    authoritative: Type.Boolean({ description: 'Whether the server is responsible for the zone.' }),
    values: Type.Array(anyText(70_000, 'The value of a record.', '192.0.2.10'), {
      maxItems: 5_000,
      description: 'The values of the records.',
    }),
    ttl: nullable(
      Type.Integer({ format: 'int64', minimum: 0, maximum: 4_294_967_295, description: 'Seconds.', examples: [300] }),
    ),
  },
  { title: 'Observation', description: 'The reply of one server.' },
)

const FindingSchema = Type.Object(
  {
    code: Type.String({
      minLength: 1,
      maxLength: 60,
      pattern: '^[a-z_]+$',
      description: 'The kind of finding; docs/reference/hosting.md explains each. Later versions may add others.',
      examples: ['conflict_a'],
    }),
    severity: openEnum(['error', 'warning', 'info'] as const, {
      description: 'The domain does not work until an `error` is fixed.',
    }),
    name: anyText(1_000, 'The name that the finding is about.', 'www.shop.example'),
    type: nullable(sentence(20, 'The type of the record.', 'A')),
    expected: Type.Array(anyText(1_000, 'A correct value.', '9f86d081884c7d65.edge.stores.example'), {
      maxItems: 100,
      description: 'The correct values.',
    }),
    observed: Type.Array(Observation, { maxItems: 200, description: 'The reply of each server.' }),
    message: sentence(70_000, 'The fault, in one or two sentences.', 'www.shop.example has no record.'),
    fix: sentence(70_000, 'Instructions for the owner of the domain.', 'Create the CNAME record.'),
    expiresAt: optionalTime('When caches have dropped the wrong record, if it is corrected now; null if unknown.'),
  },
  { title: 'Finding', description: 'Something that is wrong with a domain, with the evidence.' },
)

const Findings = Type.Array(FindingSchema, { maxItems: 200, description: 'The findings of the last check.' })

export const Redirect = Type.Object(
  {
    from: hostname('The hostname that redirects.'),
    to: hostname('The primary domain.'),
    status: redirectStatus(),
  },
  { title: 'Redirect', description: 'A redirect from one hostname to another. Path and query are kept.' },
)
export const Redirects = Type.Array(Redirect, {
  title: 'Redirects',
  description: 'A page of redirects.',
  maxItems: 100,
})

const example = {
  hostname: 'www.shop.example',
  unicodeHostname: 'www.shop.example',
  projectId: 1,
  role: 'primary',
  redirect: null,
  hsts: false,
  state: 'active',
  dns: { status: 'verified', checkedAt: '2026-11-20T10:15:00.000Z', nextCheckAt: '2026-11-21T10:15:00.000Z' },
  certificate: certificateExample,
  records: [],
  findings: [],
  createdAt: '2026-11-20T10:00:00.000Z',
}

export const Domain = Type.Object(
  {
    hostname: hostname('The name in A-label form (RFC 5890).'),
    unicodeHostname: hostname('The name for people.'),
    projectId: idSchema('The project that the domain belongs to.'),
    role,
    redirect: nullable(
      Type.Object(
        { to: hostname('The primary domain.'), status: redirectStatus() },
        { description: 'Where the domain leads; null for the primary.' },
      ),
    ),
    hsts: Type.Boolean({ description: 'Whether responses instruct browsers to use only HTTPS.' }),
    state: openEnum(domainStates, {
      description:
        '`pending_dns` (no record yet), `pending_ownership` (the TXT record is missing), `dns_error` (a record is wrong, or 48 hours have passed), `issuing` (the certificate is on its way), `active`, `cert_error`, or `degraded` (still served, but the records have changed).',
    }),
    dns: Type.Object(
      {
        status: openEnum(dnsStatuses, { description: 'The result of the checks.' }),
        checkedAt: optionalTime('The last check; null before the first.'),
        nextCheckAt: optionalTime('The next check; null if the service no longer checks automatically.'),
      },
      { description: 'The checks of the DNS.' },
    ),
    certificate: Certificate,
    records: Type.Array(DnsRecord, { maxItems: 50, description: 'The records to create, the routing record first.' }),
    findings: Findings,
    createdAt: timeSchema('When the domain was added.'),
  },
  {
    title: 'Domain',
    description: 'A domain of a project.',
    examples: [example],
  },
)
export type Domain = Static<typeof Domain>

export const NewDomain = requestObject(
  {
    hostname: givenHostname('The bare name, in ASCII or Unicode, without `https://` and without a path.'),
    withWww: Type.Optional(
      Type.Boolean({
        description: 'Adds the name with `www.` in front too, or without it if it is given with it.',
        examples: [true],
      }),
    ),
    role: Type.Optional(role),
    redirect: Type.Optional(nullable(RedirectTarget)),
  },
  {
    title: 'NewDomain',
    description: 'A domain to add. The primary domain does not redirect.',
    ...roleCondition,
    examples: [{ hostname: 'www.shop.example' }],
  },
  Domain,
)

export const DomainChange = requestObject(
  {
    role: Type.Optional(role),
    redirect: Type.Optional(nullable(RedirectTarget)),
    hsts: Type.Optional(
      Type.Boolean({
        description: 'Whether responses instruct browsers to use only HTTPS (RFC 6797).',
        examples: [true],
      }),
    ),
  },
  {
    title: 'DomainChange',
    description:
      'The members to change; the others are unchanged. A domain that becomes the primary does not redirect: send no `redirect`, null, or the one that it has.',
    examples: [{ role: 'primary' }],
  },
  Domain,
)
export const Domains = Type.Array(Domain, { title: 'Domains', description: 'A page of domains.', maxItems: 100 })

export const domainParameters = {
  hostname: Type.Optional(givenHostname('Only domains with this hostname, in ASCII or Unicode.')),
}

const givenList = (description: string, example: string) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 300, pattern: '\\S' }), {
      maxItems: 20,
      description,
      examples: [[example]],
    }),
  )
const givenName = (description: string, example: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 300, pattern: '\\S', description, examples: [example] }))

export const NewDomainCheck = requestObject(
  {
    hostname: givenHostname('The name to check, in ASCII or Unicode.'),
    cnameTargets: givenList(
      'The names that its CNAME may have as its value; those of its project by default.',
      '9f86d081884c7d65.edge.stores.example',
    ),
    platformDomain: givenName('Replaces `--platform-domain`.', 'stores.example'),
    sitesDomain: givenName('Replaces `--sites-domain`.', 'sites.example'),
    publicAddresses: givenList('Replaces `--public-address`.', '192.0.2.10'),
    dnsResolvers: givenList('Replaces `--dns-resolver`.', '192.0.2.53'),
    allowPrivateAddresses: Type.Optional(
      Type.Boolean({ description: 'Replaces `--allow-private-addresses`.', examples: [false] }),
    ),
    caaIdentities: givenList('Replaces `--caa-identity`.', 'letsencrypt.org'),
  },
  {
    title: 'NewDomainCheck',
    description: 'A name to check, and options that replace those of the service.',
    examples: [{ hostname: 'www.shop.example' }],
  },
)
export type NewDomainCheck = Static<typeof NewDomainCheck>

const verdict = (description: string) =>
  openEnum(['verified', 'failed', 'unknown', 'not_checked'] as const, { description })

export const DomainCheck = Type.Object(
  {
    hostname: anyText(
      maximumGiven,
      'The name in A-label form, or as it was given if it is invalid.',
      'www.shop.example',
    ),
    unicodeHostname: anyText(maximumGiven, 'The name for people.', 'www.shop.example'),
    checkedAt: timeSchema('When the name was checked.'),
    elapsedMs: Type.Number({ minimum: 0, description: 'How long it took, in milliseconds.', examples: [412] }),
    queries: countSchema('How many queries were sent.', 14),
    complete: Type.Boolean({ description: 'False if the limits of time or queries were reached.', examples: [true] }),
    zone: nullable(anyText(253, 'The zone of the name; null if it was not found.', 'shop.example')),
    isApex: nullable(
      Type.Boolean({ description: 'Whether the name is that of the zone itself; null if that is unknown.' }),
    ),
    nameservers: Type.Array(anyText(400, 'A name server.', 'ns1.shop.example'), {
      maxItems: 200,
      description: 'The name servers of the zone.',
    }),
    routing: verdict('Whether the name leads here.'),
    routedBy: nullable(
      openEnum(['cname', 'address'] as const, {
        description: 'The kind of record that leads here; null if none does.',
      }),
    ),
    ownership: verdict('Whether the TXT record exists, if one is needed.'),
    caa: verdict('Whether CAA records allow the certificate authority.'),
    findings: Findings,
    lookups: Type.Array(
      Type.Object(
        {
          name: anyText(1_000, 'The name of the query.', 'www.shop.example'),
          type: sentence(20, 'The type of the record.', 'A'),
          source: openEnum(['authoritative', 'recursive'] as const, { description: 'The servers that were queried.' }),
          observed: Type.Array(Observation, { maxItems: 200, description: 'The reply of each server.' }),
        },
        { title: 'Lookup', description: 'The replies of all servers for one name and type.' },
      ),
      { maxItems: 200, description: 'The queries, with the replies.' },
    ),
    platformDomain: nullable(anyText(253, 'The platform domain; null without one.', 'stores.example')),
    publicAddresses: Type.Array(anyText(45, 'An address.', '192.0.2.10'), {
      maxItems: 100,
      description: 'The public addresses of the service; empty if they are not known.',
    }),
    caaIdentities: Type.Array(anyText(253, 'A name.', 'letsencrypt.org'), {
      maxItems: 100,
      description: 'The names of the certificate authority that CAA records must allow; empty if they are not known.',
    }),
    isProbed: Type.Boolean({
      description:
        'Whether the service has fetched a page from the public addresses, as it does for a name that leads here.',
      examples: [true],
    }),
  },
  { title: 'DomainCheck', description: 'The result of a check of the DNS of a name.' },
)

export const Diagnosis = Type.Object(
  {
    hostname: hostname('The name in A-label form.'),
    checkedAt: optionalTime('The last check; null before the first.'),
    findings: Findings,
  },
  { title: 'Diagnosis', description: 'The findings of the last check of a domain.' },
)

/** The JSON form of a page of events. */
export const DomainEvents = Type.Array(
  Type.Object(
    {
      id: idSchema('Identifier of the event.'),
      at: timeSchema('The time of the event.'),
      type: openEnum(domainEventTypes, { description: 'The kind of event.' }),
      message: sentence(10_000, 'One sentence for the owner of the domain.', 'www.shop.example was added.'),
    },
    { title: 'DomainEvent', description: 'An event in the history of a domain.' },
  ),
  { title: 'DomainEvents', description: 'A page of events.', maxItems: 100 },
)
