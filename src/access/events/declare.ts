/**
 * The declaration of a type of event, in the style of endpoints: a feature says in its `events.ts` what each of its types means
 * and what its `data` is. The document and the tests follow from it. `app/events.ts` lists all.
 */

import type { TObject } from '@sinclair/typebox'
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
