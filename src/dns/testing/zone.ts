/** Zones for tests, written as in a zone file, and the answers of an authoritative server (RFC 1034, section 4.3.2). */

import type { Answer, RecordType } from 'dns-packet'
import { isWithin, parentOf } from '../lookup/answer.ts'

export interface TestZone {
  readonly name: string
  readonly records: readonly Answer[]
}

export interface ZoneAnswer {
  readonly rcode: 'NOERROR' | 'NXDOMAIN' | 'REFUSED'
  readonly authoritative: boolean
  readonly answers: readonly Answer[]
  readonly authorities: readonly Answer[]
  readonly additionals: readonly Answer[]
}

/**
 * A zone from lines such as `www 300 CNAME shop.other.example.`: names without a final dot are relative to the zone,
 * `@` is the zone. Without an SOA line it has one whose negative TTL is 300 seconds.
 */
export function zone(name: string, text: string): TestZone {
  const lines = text.split('\n').map((line) => line.trim())
  const records = lines.filter((line) => line !== '').map((line) => parseLine(name, line))
  if (records.some(({ type }) => type === 'SOA')) return { name, records }
  return { name, records: [parseLine(name, '@ 3600 SOA ns1 hostmaster 1 7200 3600 1209600 300'), ...records] }
}

function parseLine(zoneName: string, line: string): Answer {
  const [owner = '', ttl = '', type = '', ...rest] = line.split(/\s+/)
  const data = line.slice(line.indexOf(` ${type} `) + type.length + 2)
  const absolute = (name = '') => absoluteName(name, zoneName)
  const base = { name: absolute(owner) || '.', ttl: Number(ttl), class: 'IN' as const }
  switch (type) {
    case 'SOA': {
      const [mname, rname, ...numbers] = rest
      const [serial = 0, refresh = 0, retry = 0, expire = 0, minimum = 0] = numbers.map(Number)
      const soa = { mname: absolute(mname), rname: absolute(rname), serial, refresh, retry, expire, minimum }
      return { ...base, type, data: soa }
    }
    case 'MX':
      return { ...base, type, data: { preference: Number(rest[0]), exchange: absolute(rest[1]) } }
    case 'TXT':
      return {
        ...base,
        type,
        data: [...data.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? ''),
      }
    case 'CAA': {
      const [flags, tag = ''] = rest
      return {
        ...base,
        type,
        data: { flags: Number(flags), tag: tag as 'issue', value: /"(.*)"/.exec(data)?.[1] ?? '' },
      }
    }
    case 'A':
    case 'AAAA':
      return { ...base, type, data: data.trim() }
    default:
      return { ...base, type: type as 'CNAME' | 'NS', data: absolute(rest[0]) || '.' }
  }
}

function absoluteName(name: string, zoneName: string): string {
  if (name === '@') return zoneName
  if (name.endsWith('.')) return name.slice(0, -1)
  return zoneName === '' ? name : `${name}.${zoneName}`
}

/** Keeps a root's `.` out of comparisons. */
const ownerOf = ({ name }: { name: string }) => (name === '.' ? '' : name.toLowerCase())

/** The zone that answers for a name: the deepest one. */
export function zoneFor(zones: readonly TestZone[], name: string): TestZone | undefined {
  return zones.filter((one) => isWithin(name, one.name)).sort((a, b) => b.name.length - a.name.length)[0]
}

export function answerFrom(zones: readonly TestZone[], name: string, type: RecordType): ZoneAnswer {
  const found = zoneFor(zones, name)
  const nothing = { answers: [], authorities: [], additionals: [] }
  if (!found) return { rcode: 'REFUSED', authoritative: false, ...nothing }
  const referral = referralFrom(found, name)
  if (referral) return referral
  return answerChain(found, name, type)
}

function referralFrom({ name: apex, records }: TestZone, name: string): ZoneAnswer | undefined {
  for (let cut: string | undefined = name; cut !== undefined && cut !== apex; cut = parentOf(cut)) {
    const authorities = records.filter((record) => record.type === 'NS' && ownerOf(record) === cut)
    if (authorities.length === 0) continue
    const names = new Set(authorities.map((record) => ('data' in record ? String(record.data) : '')))
    const additionals = records.filter(({ type, name: owner }) => /^A/.test(type) && names.has(owner))
    return { rcode: 'NOERROR', authoritative: false, answers: [], authorities, additionals }
  }
  return undefined
}

function answerChain(found: TestZone, name: string, type: RecordType): ZoneAnswer {
  const answers: Answer[] = []
  for (let current = name; ; ) {
    const node = recordsAt(found, current)
    const matching = node?.filter((record) => record.type === type) ?? []
    const aliases = node?.filter((record) => record.type === 'CNAME') ?? []
    const [alias] = aliases
    answers.push(...(type === 'CNAME' ? matching : [...aliases, ...matching]))
    const target = alias?.type === 'CNAME' && type !== 'CNAME' ? alias.data : undefined
    // Like a real server, it follows a chain within its zone and leaves loops to the client.
    if (target !== undefined && isWithin(target, found.name) && answers.length < 20) {
      current = target
      continue
    }
    const isEmpty = answers.length === 0 || (matching.length === 0 && target === undefined)
    return {
      rcode: node ? 'NOERROR' : 'NXDOMAIN',
      authoritative: true,
      answers,
      authorities: isEmpty ? found.records.filter((record) => record.type === 'SOA') : [],
      additionals: [],
    }
  }
}

/** Records at a name, a wildcard's with that name; undefined if the name does not exist. */
function recordsAt({ name: apex, records }: TestZone, name: string): readonly Answer[] | undefined {
  const own = records.filter((record) => ownerOf(record) === name)
  if (own.length > 0) return own
  if (records.some((record) => isWithin(ownerOf(record), name))) return []
  for (
    let encloser = parentOf(name);
    encloser !== undefined && isWithin(encloser, apex);
    encloser = parentOf(encloser)
  ) {
    const wildcard = records.filter((record) => ownerOf(record) === `*.${encloser}`)
    if (wildcard.length > 0) return wildcard.map((record) => ({ ...record, name }))
    if (records.some((record) => isWithin(ownerOf(record), encloser ?? ''))) return undefined
  }
  return undefined
}
