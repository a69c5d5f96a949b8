/**
 * The declaration of a type of event, in the style of endpoints: a feature says in its `events.ts` what each of its
 * types means and what its `data` is. The document and the tests follow from it. `app/events.ts` lists all.
 */

import { type TObject, type TProperties, Type } from '@sinclair/typebox'
import type { EventType } from './rules.ts'

export interface EventDeclaration {
  /** What has happened, in one sentence. */
  readonly description: string
  /** The schema of `data`, which has an example. */
  readonly data: TObject
  /** The members of the example as they were before, for types that say what has changed. */
  readonly previous?: object
}

/** The events of a feature by type. */
export type EventDeclarations = Readonly<Partial<Record<EventType, EventDeclaration>>>

/** Declares one type of event. */
export const event = (data: TObject, description: string): EventDeclaration => ({ data, description })

/** Declares the type of a change, which has `previous`. */
export const changeEvent = (data: TObject, description: string, previous: object): EventDeclaration => ({
  data,
  description,
  previous,
})

/** The schema of the events of one type, with an example. `members` are those besides `type`, `data` and `previous`. */
export function eventSchema(
  type: EventType,
  { data, description, previous }: EventDeclaration,
  members: TProperties,
): TObject {
  const title = type.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())
  const [record] = data['examples'] as [object]
  const others = Object.fromEntries(
    Object.entries(members).map(([name, { examples }]) => [name, examples?.[0] ?? null]),
  )
  const before = { title: `${title}Previous`, description: 'The members that were changed, as they were before.' }
  return Type.Object(
    {
      ...members,
      type: Type.Literal(type, { description: 'What has happened.' }),
      data,
      ...(previous ? { previous: Type.Partial(data, { ...before, examples: [previous] }) } : {}),
    },
    {
      title,
      description,
      examples: [{ ...others, type, data: record, ...(previous ? { previous } : {}) }],
    },
  )
}
