/** The types of events, and which events a key may see: pure functions. */

import { allows, type Scope } from '../../api/scopes.ts'

/** Every type that is written. Each is declared by the feature whose records it is about (`declare.ts`). */
export const eventTypes = [
  'pet.created',
  'pet.updated',
  'pet.deleted',
  'pet.restored',
  'profile.updated',
  'category.created',
  'category.updated',
  'category.deleted',
  'category.merged',
  'import.completed',
  'import.failed',
  'import.undone',
  'order.placed',
  'order.updated',
  'order.approved',
  'order.delivered',
  'order.cancelled',
  'project.created',
  'project.updated',
  'project.deleted',
  'website.updated',
  'deploy.live',
  'domain.added',
  'domain.verified',
  'domain.failed',
  'domain.drifted',
  'domain.recovered',
  'domain.removed',
  'certificate.issued',
  'certificate.renewed',
  'certificate.failed',
  'key.created',
  'key.updated',
  'key.rolled',
  'key.revoked',
  'key.banned',
  'key.expiring',
  'account.updated',
  'webhook.disabled',
] as const
export type EventType = (typeof eventTypes)[number]

/** The first word of a type. */
type Subject = EventType extends `${infer S}.${string}` ? S : never

/** The scope that shows the events of every account, and the one that shows those of the key's own account. */
const scopesOf: Readonly<Record<Subject, { readonly all: Scope; readonly own?: Scope }>> = {
  pet: { all: 'pets:read' },
  profile: { all: 'pets:read' },
  category: { all: 'pets:read' },
  import: { all: 'pets:read' },
  order: { all: 'orders:manage', own: 'orders:read' },
  project: { all: 'admin', own: 'projects:read' },
  website: { all: 'admin' },
  deploy: { all: 'admin', own: 'projects:read' },
  domain: { all: 'admin', own: 'projects:read' },
  certificate: { all: 'admin', own: 'projects:read' },
  key: { all: 'admin' },
  account: { all: 'admin' },
  webhook: { all: 'admin' },
}

const subjectOf = (pattern: string) => pattern.split('.')[0] as Subject

/** The scopes of which a key needs one to see events of a type, or of a pattern such as `pet.*`; the weakest first. */
export const scopesShowing = (pattern: string): readonly Scope[] =>
  Object.values(scopesOf[subjectOf(pattern)]).toReversed()

/** The scopes of which a key needs one to see any event. */
export const readerScopes: readonly Scope[] = ['pets:read', 'orders:read', 'orders:manage', 'projects:read', 'admin']

/** What `types` may contain: each type, and the subjects with all their types, such as `pet.*`. */
export const typePatterns: readonly string[] = [
  ...eventTypes,
  ...[...new Set(eventTypes.map(subjectOf))].map((subject) => `${subject}.*`),
]

/** The types that a list of types and of `pet.*` names. */
export function typesOf(patterns: readonly string[]): readonly EventType[] {
  return eventTypes.filter((type) => patterns.includes(type) || patterns.includes(`${subjectOf(type)}.*`))
}

/** The members of a principal that decide which events it may see. */
export interface EventViewer {
  readonly accountId: number
  readonly scopes: ReadonlySet<Scope>
}

/** A selection of events: those of the types in `all`, and those of the types in `own` that belong to the account. */
export interface EventFilter {
  readonly accountId: number
  readonly all: ReadonlySet<EventType>
  readonly own: ReadonlySet<EventType>
}

/** The events of some types that the viewer may see. The others do not exist for it. */
export function visibleEvents(
  { accountId, scopes }: EventViewer,
  types: readonly EventType[] = eventTypes,
): EventFilter {
  const granted = (scope: Scope | undefined) => scope !== undefined && allows(scopes, scope)
  return {
    accountId,
    all: new Set(types.filter((type) => granted(scopesOf[subjectOf(type)].all))),
    own: new Set(types.filter((type) => granted(scopesOf[subjectOf(type)].own))),
  }
}

/** Selects every event. */
export const everyEvent = visibleEvents({ accountId: 0, scopes: new Set(['admin']) })

/** Whether a filter selects an event. */
export function selects(
  { accountId, all, own }: EventFilter,
  event: { readonly type: EventType; readonly accountId: number | null },
): boolean {
  return all.has(event.type) || (own.has(event.type) && event.accountId === accountId)
}

/** The members of `before` whose values differ in `after`; undefined if none does. */
export function changedMembers(before: object, after: object): object | undefined {
  const values = after as Readonly<Record<string, unknown>>
  const changed = Object.entries(before).filter(([name, value]) => !Bun.deepEquals(value, values[name]))
  return changed.length === 0 ? undefined : Object.fromEntries(changed)
}
