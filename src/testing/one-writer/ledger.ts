/**
 * A plain model of the expected content of a store: every animal and order that a response or a command has
 * acknowledged, and those whose outcome is unknown. The first word of an animal's name is its identity and never
 * changes.
 */

import { expect } from 'bun:test'
import type { PetStatus } from '../../shop/pets/rules.ts'

export interface Pet {
  readonly id: number
  readonly name: string
  readonly categoryId: number
  readonly status: PetStatus
}

/** An animal that is acknowledged. Times are milliseconds of `performance.now()`. */
export interface Animal {
  readonly identity: string
  /** Undefined for an animal of an import: commands don't print ids. */
  readonly id: number | undefined
  name: string
  readonly categoryId: number | undefined
  status: PetStatus
  /** The time at which a change of it was last acknowledged; `Infinity` while one is sent. */
  changedMs: number
  /** Whether a request to remove it was sent. */
  isLeaving: boolean
}

export interface Order {
  readonly id: number
  readonly petId: number
  readonly status: string
}

export const identityOf = (name: string): string => name.split(' ')[0] ?? ''

export type Ledger = ReturnType<typeof createLedger>

export function createLedger() {
  const animals = new Map<string, Animal>()
  const orders = new Map<number, Order>()
  const fates = new Map<string, 'sent' | 'unknown' | 'acknowledged' | 'rejected' | 'removed'>()
  const seen = new Map<number, string>()
  const imports: (readonly string[])[] = []
  /** The number of animals that were removed, or never added. */
  let gone = 0

  function acknowledge(identity: string, animal: Pick<Animal, 'id' | 'name' | 'categoryId' | 'status'>) {
    expect(fates.get(identity)).toBeOneOf(['sent', 'unknown'])
    fates.set(identity, 'acknowledged')
    const entry = { identity, ...animal, changedMs: performance.now(), isLeaving: false }
    animals.set(identity, entry)
    return entry
  }

  return {
    animals,
    orders,
    fateOf: (identity: string) => fates.get(identity),
    /** Called before an animal is sent for the first time. */
    sending: (identity: string): void => void fates.set(identity, 'sent'),
    /** The create was acknowledged with this response. */
    added(pet: Pet): Animal {
      this.see(pet)
      return acknowledge(identityOf(pet.name), pet)
    },
    /** An import of these animals was acknowledged. */
    imported(pets: readonly Omit<Pet, 'id' | 'categoryId'>[]): Animal[] {
      return pets.map(({ name, status }) =>
        acknowledge(identityOf(name), { id: undefined, name, categoryId: undefined, status }),
      )
    },
    /** The connection was lost, or the response said that the outcome is unknown. */
    unknown: (identity: string): void => void fates.set(identity, 'unknown'),
    /** A command that adds all of these or none was killed. */
    unknownImport(identities: readonly string[]): void {
      imports.push(identities)
      for (const identity of identities) fates.set(identity, 'unknown')
    },
    /** The response said that nothing was changed. */
    rejected(identity: string): void {
      fates.set(identity, 'rejected')
      gone++
    },
    /** The removal was acknowledged. */
    removed(identity: string): void {
      fates.set(identity, 'removed')
      animals.delete(identity)
      gone++
    },
    /** The identities of each of the killed imports. */
    unknownImports: imports,
    /** Throws unless an animal that was read was sent before, and its id was never that of another. */
    see({ id, name }: Pick<Pet, 'id' | 'name'>): void {
      const identity = identityOf(name)
      const fate = fates.get(identity) ?? 'never sent'
      if (fate === 'never sent' || fate === 'rejected') throw new Error(`Animal ${id}, ${name}, was ${fate}.`)
      const other = seen.get(id) ?? identity
      if (other !== identity) throw new Error(`Animal ${id} was ${other} and is now ${name}.`)
      seen.set(id, identity)
    },
    /** The animals that a read which starts now must show, unless they are removed during the read. */
    visible: (): Animal[] => [...animals.values()].filter(({ isLeaving }) => !isLeaving),
    /** The number of all animals that were sent. */
    sent: (): number => fates.size,
    /** The number of them that may be missing in a count that starts now. */
    gone: (): number => gone,
  }
}
