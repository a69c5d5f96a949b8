/** Checks the records of the platform's own names with recursive resolvers. */

import { resolverLabel } from './lookup/recursive.ts'
import { createSession, isAnswer, type Session } from './lookup/session.ts'
import type { Finding } from './report.ts'
import type { CheckOptions } from './request.ts'
import { typeFor, typesOf } from './target.ts'

/** The addresses of a name by type; undefined for a type for which no resolver has an answer. */
export interface FoundAddresses {
  readonly A: readonly string[] | undefined
  readonly AAAA: readonly string[] | undefined
}

/** The addresses of a name, for each type by the first resolver that has an answer. */
export async function findAddresses(name: string, options: CheckOptions): Promise<FoundAddresses> {
  const session = createSession(options)
  try {
    return await addressesOf(session, name)
  } finally {
    session.close()
  }
}

/**
 * All addresses of a name; empty if it has none, or if those of one type can't be looked up: others may be right as
 * well.
 */
export async function resolveAddresses(name: string, options: CheckOptions): Promise<string[]> {
  const { A, AAAA } = await findAddresses(name, options)
  return A && AAAA ? [...A, ...AAAA] : []
}

async function addressesOf(session: Session, name: string): Promise<FoundAddresses> {
  const [A, AAAA] = await Promise.all([valuesOf(session, name, 'A'), valuesOf(session, name, 'AAAA')])
  return { A, AAAA }
}

async function valuesOf(session: Session, name: string, type: 'A' | 'AAAA'): Promise<string[] | undefined> {
  const outcome = await session.resolve(name, type)
  if (outcome.kind !== 'reply' || !isAnswer(outcome)) return undefined
  return outcome.answers.filter((record) => record.type === type).map(({ value }) => value)
}

/**
 * Findings for records of a platform domain that don't lead to `publicAddresses`: its own record, that of the projects
 * and that of the CNAME targets.
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

/**
 * Findings for the names that don't lead to `publicAddresses`, each with the record that decides. Only if resolvers
 * have answers for A and AAAA, a name has no address. While `publicAddresses` is empty, every address may be right.
 */
export async function checkAddresses(
  names: readonly (readonly [record: string, name: string])[],
  publicAddresses: readonly string[],
  options: CheckOptions,
): Promise<Finding[]> {
  const session = createSession(options)
  try {
    const resolved = await Promise.all(
      names.map(async ([record, name]) => ({ record, ...(await addressesOf(session, name)) })),
    )
    const isForeign = (address: string) => publicAddresses.length > 0 && !publicAddresses.includes(address)
    return resolved.flatMap(({ record, A, AAAA }) => {
      const addresses = [...(A ?? []), ...(AAAA ?? [])]
      const isMissing = A?.length === 0 && AAAA?.length === 0
      if (!isMissing && !addresses.some(isForeign)) return []
      return platformFinding(record, addresses, publicAddresses, options)
    })
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
    type: typeFor(addresses.length > 0 ? addresses : expected),
    expected,
    observed: [{ server, rcode: 'NOERROR', authoritative: false, values: addresses, ttl: null }],
    message: `${record}, a record of the platform itself, ${addresses.length === 0 ? 'has no address' : `leads to ${addresses.join(', ')}`}.`,
    fix: `The operator of this service has to point ${record} at ${expected.length > 0 ? expected.join(', ') : 'this machine'} (${typesOf(expected).join(' and ') || 'A or AAAA'}): the addresses of all projects and the targets of their CNAME records depend on it.`,
    expiresAt: null,
  }
}
