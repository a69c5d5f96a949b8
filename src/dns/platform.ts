/** Checks the records of the platform's own names with recursive resolvers. */

import { resolverLabel } from './lookup/recursive.ts'
import { createSession, type Session } from './lookup/session.ts'
import type { Finding } from './report.ts'
import type { CheckOptions } from './request.ts'

/** The addresses of a name by the first resolver that has some; empty if none has. */
export async function resolveAddresses(name: string, options: CheckOptions): Promise<string[]> {
  const session = createSession(options)
  try {
    return (await addressesOf(session, name)) ?? []
  } finally {
    session.close()
  }
}

/** Undefined if no resolver responds with NOERROR or NXDOMAIN. */
async function addressesOf(session: Session, name: string): Promise<string[] | undefined> {
  const outcomes = await Promise.all([session.resolve(name, 'A'), session.resolve(name, 'AAAA')])
  const replies = outcomes.filter((outcome) => outcome.kind === 'reply')
  if (!replies.some(({ rcode }) => rcode === 'NOERROR' || rcode === 'NXDOMAIN')) return undefined
  const records = replies.flatMap(({ answers }) => answers)
  return records.filter(({ type }) => type === 'A' || type === 'AAAA').map(({ value }) => value)
}

/**
 * Findings for records of a platform domain that don't lead to `publicAddresses`: its own record, that of the projects and
 * that of the CNAME targets. A record for which no resolver responds has no finding.
 */
export function checkPlatform(
  platformDomain: string,
  publicAddresses: readonly string[],
  options: CheckOptions,
  sitesDomain = platformDomain,
): Promise<Finding[]> {
  // A random name exists only if the wildcard does.
  const label = `petstore-${crypto.randomUUID().slice(0, 8)}`
  const wildcards = new Set([platformDomain, sitesDomain, `edge.${platformDomain}`])
  const names = [
    [platformDomain, platformDomain] as const,
    ...[...wildcards].map((domain) => [`*.${domain}`, `${label}.${domain}`] as const),
  ]
  return checkAddresses(names, publicAddresses, options)
}

/** Findings for the names that don't lead to `publicAddresses`, each with the record that decides. */
export async function checkAddresses(
  names: readonly (readonly [record: string, name: string])[],
  publicAddresses: readonly string[],
  options: CheckOptions,
): Promise<Finding[]> {
  const session = createSession(options)
  try {
    const found = await Promise.all(
      names.map(async ([record, name]) => ({ record, addresses: await addressesOf(session, name) })),
    )
    const isRight = (addresses: readonly string[]) =>
      addresses.length > 0 && addresses.every((address) => publicAddresses.includes(address))
    return found.flatMap(({ record, addresses }) =>
      addresses === undefined || isRight(addresses) ? [] : platformFinding(record, addresses, publicAddresses, options),
    )
  } finally {
    session.close()
  }
}

function platformFinding(
  record: string,
  addresses: readonly string[],
  expected: readonly string[],
  { resolvers }: CheckOptions,
): Finding {
  const server = resolvers.map(resolverLabel).join(', ')
  return {
    code: addresses.length === 0 ? 'record_missing' : 'record_wrong_value',
    severity: 'error',
    name: record,
    type: 'A',
    expected,
    observed: [{ server, rcode: 'NOERROR', authoritative: false, values: addresses, ttl: null }],
    message: `${record}, a record of the platform itself, ${addresses.length === 0 ? 'has no address' : `leads to ${addresses.join(', ')}`}.`,
    fix: `The operator of this service has to point ${record} at ${expected.length > 0 ? expected.join(', ') : 'this machine'}: the addresses of all projects and the targets of their CNAME records depend on it.`,
    expiresAt: null,
  }
}
