/** Findings about the delegation of the zone and about its name servers, also where these have no usable answer. */

import { isUsable, isWithin, listed, type ServerAnswer, serverLabel } from '../lookup/answer.ts'
import { reasonOf, type ZoneFault } from '../lookup/zone.ts'
import type { Finding } from '../report.ts'
import { relativeName } from '../target.ts'
import { reservedUse } from '../wire/global-address.ts'
import { atProvider, type Context, type Draft, expiryOf, finding, findingFrom, observeAll } from './context.ts'
import { providerOf } from './providers.ts'

/** The finding for the fault because of which the zone of the hostname was not found. */
export function zoneFault(context: Context, fault: ZoneFault): Finding {
  const at = fault.at === '' ? 'the root' : fault.at
  const { names } = fault.nameservers
  const about = names.length > 0 ? ` about the addresses of the name servers of ${at} (${listed(names)})` : ''
  const base = {
    name: fault.at,
    type: 'NS',
    // The servers were asked for their reply, not for these names.
    expected: [],
    observed: observeAll(fault.answers),
    expiresAt: expiryOf(context.nowMs, fault.answers),
  }
  switch (fault.reason) {
    case 'not_registered':
      return fault.at === '' ? noTopLevelDomain(context, base) : notRegistered(context, base)
    case 'servfail':
      return finding(context, {
        ...base,
        code: 'dns_servfail',
        message: `The name servers of ${at} report an internal failure (SERVFAIL) instead of an answer.`,
        fix: `This is a fault of the DNS provider of ${at}: its copy of the zone is missing, expired or broken. Report it to its support, with the servers and replies listed here. Nothing has to change at your shop.`,
      })
    case 'no_reply':
      return finding(context, {
        ...base,
        code: 'dns_timeout',
        message: `None of the name servers of ${at} gave an answer.`,
        fix: `Try again in a few minutes. If this continues, ask the DNS provider of ${at} whether its servers work. If it happens for every domain, let this machine send to port 53 over UDP and TCP.`,
      })
    case 'refused':
      return finding(context, {
        ...base,
        code: 'nameservers_refuse',
        message: `The name servers of ${at} (${listed(names)}) refuse to answer queries about it (REFUSED): they do not have the zone.`,
        fix: `If you have moved ${at} to another DNS provider: ${lowerFirst(whereListed(context, fault.at))} set the name servers that the new provider lists. If not, create the zone ${at} again at the provider that has these name servers, or ask its support whether the account is suspended.`,
      })
    case 'no_resolver':
      return finding(context, {
        ...base,
        code: 'dns_timeout',
        message: `The recursive resolvers of this machine gave no usable answer${about}.`,
        fix: 'Check again in a few minutes. If this continues, check that this machine has a network connection and a working resolver (on Linux in /etc/resolv.conf), or name one with --dns-resolver.',
      })
    case 'no_route':
      return finding(context, {
        ...base,
        code: 'dns_timeout',
        message: `This machine has no route to the addresses of the name servers of ${at}.`,
        fix: 'Nothing has to change at your domain. The operator of this service has to connect this machine to the internet, preferably over both IPv4 and IPv6.',
      })
    case 'limit_reached':
      return finding(context, { ...base, ...limitWords(at) })
    case 'reserved':
      return reservedNameservers(context, fault)
    case 'broken':
      return broken(context, fault, { ...base, expected: names })
  }
}

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)

function noTopLevelDomain(context: Context, base: Partial<Finding>): Finding {
  const { registrableDomain, publicSuffix } = context.name
  return finding(context, {
    ...base,
    code: 'domain_not_registered',
    name: publicSuffix,
    message: `${registrableDomain} does not exist: there is no top-level domain .${publicSuffix}.`,
    fix: `Check the spelling of the ending .${publicSuffix}.`,
  })
}

function notRegistered(context: Context, base: Partial<Finding>): Finding {
  const { registrableDomain, publicSuffix } = context.name
  return finding(context, {
    ...base,
    code: 'domain_not_registered',
    name: registrableDomain,
    message: `${registrableDomain} does not exist: the registry of .${publicSuffix} does not know it.`,
    fix: 'Check the spelling. If it is right, register the domain, or ask your registrar whether it has expired or is on hold.',
  })
}

function reservedNameservers(context: Context, fault: ZoneFault): Finding {
  return finding(context, {
    code: 'reserved_address',
    name: fault.at,
    type: 'NS',
    observed: observeAll(fault.answers),
    message: `The name servers of ${fault.at || 'the root'} have addresses that cannot be reached from the internet.`,
    fix: `${whereListed(context, fault.at)} name servers with public addresses must be set for ${fault.at || 'the root'}: those that its DNS provider lists. (In a private network, use --allow-private-addresses.)`,
  })
}

function broken(context: Context, { at, nameservers, answers }: ZoneFault, base: Partial<Finding>): Finding {
  const list = listed(nameservers.names) || 'no name servers'
  const without = nameservers.servers.length === 0
  const above = zoneAbove(context, at)
  return finding(context, {
    ...base,
    code: 'delegation_broken',
    name: at,
    message: without
      ? `${at} is delegated to ${list}, but no address is known for any of them.`
      : `${at} is delegated to ${list}, but ${answers.length > 0 ? 'none of them is an authority for it' : 'they lead nowhere'}.`,
    fix: above
      ? `${whereListed(context, at)} correct the NS records with the name "${relativeName(at, above.name)}": set the name servers that the DNS provider of ${at} lists, or delete these NS records if nobody manages ${at} apart.`
      : `At your registrar (where you pay for the domain), set the name servers that your DNS provider lists for ${at}; or, at that provider, create the zone ${at} again.`,
  })
}

interface ZoneAbove {
  readonly name: string
  readonly nameservers: readonly string[]
}

/**
 * The zone whose NS records delegate the zone `at`, if that is below the registered domain: no registrar has its list.
 */
function zoneAbove({ facts, name: { registrableDomain } }: Context, at: string): ZoneAbove | undefined {
  if (at === registrableDomain || !isWithin(at, registrableDomain)) return undefined
  const above = facts.path.findLast((zone) => zone.name !== at && isWithin(at, zone.name))
  // The servers of the registry may have the zone of the domain as well, and refer from there.
  if (!above || !isWithin(above.name, registrableDomain)) return { name: registrableDomain, nameservers: [] }
  return { name: above.name, nameservers: above.nameservers.names }
}

/** Where the name servers of a zone are set: `At your registrar,`. */
function whereListed(context: Context, at: string): string {
  const above = zoneAbove(context, at)
  if (!above) return 'At your registrar,'
  const { name: zone, nameservers } = above
  return atProvider({ zone, nameservers, provider: nameservers.length === 0 ? undefined : providerOf(nameservers) })
}

/** Findings about faulty name servers of a zone that others serve. */
export function nameserverFindings(context: Context): Finding[] {
  const zone = context.facts.path.at(-1)
  if (!zone) return []
  const byServer = Map.groupBy(context.facts.addresses, ({ server }) => serverLabel(server))
  const faulty = [...byServer.values()].flatMap((answers) => serverFault(context, answers))
  const unresolved = zone.nameservers.unresolved.map((name) =>
    finding(context, {
      code: 'nameserver_lame',
      severity: 'warning',
      name,
      type: 'A',
      message: `${name} is listed as a name server of ${zone.name} but has no address.`,
      fix: `${whereListed(context, zone.name)} remove ${name} from the name servers of ${zone.name}, or correct its spelling.`,
    }),
  )
  return [...faulty, ...unresolved, ...delegationMismatch(context)]
}

function serverFault(context: Context, answers: readonly ServerAnswer[]): Finding[] {
  const find = (state: ServerAnswer['state']) => answers.find((answer) => answer.state === state)
  const [any] = answers
  if (!any) return []
  const label = serverLabel(any.server)
  const about = { severity: 'warning', name: context.zone, type: 'NS' } as const
  const draft = { ...about, observed: observeAll(answers), expiresAt: null }
  const replace = `${whereListed(context, context.zone)} remove ${any.server.name} from the name servers of ${context.zone}, or ask your DNS provider to repair it: some visitors reach it and get no answer.`
  const refused = find('refused')
  if (find('lame') || refused) {
    const subject = refused && answers.some(isUsable) ? `for ${refused.type} records` : 'about the zone'
    const fault = find('lame') ? 'is no authority for the zone' : `rejects queries ${subject}`
    const message = `${label} is listed as a name server of ${context.zone} but ${fault}.`
    return [findingFrom(context, answers, { ...draft, code: 'nameserver_lame', message, fix: replace })]
  }
  if (find('servfail')) {
    const message = `${label} reports an internal failure (SERVFAIL) for ${context.hostname}.`
    return [findingFrom(context, answers, { ...draft, code: 'dns_servfail', message, fix: replace })]
  }
  if (find('silent')) {
    const message = `${label} does not answer.`
    return [findingFrom(context, answers, { ...draft, code: 'dns_timeout', message, fix: replace })]
  }
  const use = reservedUse(any.server.address)
  const isReserved = any.outcome.kind === 'failure' && any.outcome.reason === 'reserved'
  if (!isReserved) return []
  const message = `${label} has an address that cannot be reached from the internet (${use}).`
  return [findingFrom(context, answers, { ...draft, code: 'reserved_address', message, fix: replace })]
}

/** The registry and the zone list different servers. This works until one of the lists becomes wrong. */
function delegationMismatch(context: Context): Finding[] {
  const zone = context.facts.path.at(-1)
  const { delegated, own } = zone ?? {}
  if (!zone || !delegated || !own) return []
  const onlyParent = delegated.filter((name) => !own.includes(name))
  const onlyOwn = own.filter((name) => !delegated.includes(name))
  if (onlyParent.length + onlyOwn.length === 0) return []
  const above = zoneAbove(context, zone.name)
  const observed = [
    {
      server: above ? `${above.name} (delegation)` : 'registry (delegation)',
      rcode: 'NOERROR',
      authoritative: false,
      values: delegated,
      ttl: null,
    },
    { server: `${zone.name} (its own NS records)`, rcode: 'NOERROR', authoritative: true, values: own, ttl: null },
  ]
  return [
    finding(context, {
      code: 'nameservers_disagree',
      severity: 'warning',
      name: zone.name,
      type: 'NS',
      expected: delegated,
      observed,
      message: `${above ? `The zone ${above.name}` : 'The registry'} lists other name servers for ${zone.name} than the zone itself: ${listed([...onlyParent, ...onlyOwn])} are in one list only.`,
      fix: `Make both lists equal: the name servers ${above ? `in the NS records of ${zone.name} at the DNS provider of ${above.name}` : 'at your registrar'}, and the NS records of ${zone.name} at your DNS provider.`,
    }),
  ]
}

/** Words for the case that the limits of the check were reached before the servers of a zone were queried. */
function limitWords(zone: string): Draft {
  return {
    code: 'dns_timeout',
    message: `The check reached its limits before it had queried all name servers of ${zone}.`,
    fix: 'Check again in a few minutes. If this continues, point the name directly at its target, without further CNAME records, and remove name servers that don’t answer from the list at your registrar: they use up the queries and the time of a check.',
  }
}

/** The finding for the case that no server has usable answers for every type. */
export function noAnswer(context: Context, answers: readonly ServerAnswer[], zone = context.zone): Finding {
  const byType = [...Map.groupBy(answers, ({ type }) => type).values()]
  const unanswered = byType.filter((ofType) => !ofType.some(isUsable)).flat()
  const missing = unanswered.length > 0 ? unanswered : answers
  const [first] = missing
  const fault: ZoneFault = {
    at: zone,
    nameservers: {
      names: [...new Set(missing.map(({ server }) => server.name))],
      servers: missing.map(({ server }) => server),
      unresolved: [],
      failures: [],
    },
    answers: missing,
    reason: reasonOf(missing),
  }
  const isForOneType = missing.length < answers.length && /^(no_reply|refused)$/.test(fault.reason)
  return {
    ...zoneFault(context, fault),
    name: first?.name ?? context.hostname,
    type: first?.type ?? null,
    expected: [],
    ...(isForOneType && first ? wordsForType(zone, first) : {}),
  }
}

/** Words for the case that the servers of the zone reply, but not about this type of records. */
function wordsForType(zone: string, { name, type }: ServerAnswer): Pick<Finding, 'code' | 'message' | 'fix'> {
  return {
    code: 'dns_timeout',
    message: `The name servers of ${zone} gave an answer for other records of ${name}, but none for its ${type} records.`,
    fix: `Try again in a few minutes. If this continues, tell the DNS provider of ${zone} that its servers must answer queries for ${type} records, with an empty answer if the name has none.`,
  }
}

/** All servers that replied are right, but the limits of the check were reached before the others: this is no proof. */
export function leftOut(context: Context, answers: readonly ServerAnswer[]): Finding {
  return findingFrom(context, answers, limitWords(context.zone), [])
}
