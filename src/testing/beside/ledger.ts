/**
 * A plain model of what a store must hold: every animal and order that a response or a command has acknowledged, and
 * those whose fate is unknown. The first word of an animal's name is its identity and never changes.
 */

import { expect } from 'bun:test'
import type { PetStatus } from '../../pets/rules.ts'

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
  /** From when on every read must show it. */
  readonly visibleMs: number
  /** When a change of it was last sent or acknowledged. */
  changedMs: number
  /** Whether somebody has asked to remove it. */
  isLeaving: boolean
}

export interface Order {
  readonly id: number
  readonly petId: number
  readonly status: string
}

/** How long a server may take to notice what a command has changed; a second by contract, more on a busy machine. */
const noticeMs = 2_000

export const identityOf = (name: string): string => name.split(' ')[0] ?? ''

export type Ledger = ReturnType<typeof createLedger>

export function createLedger() {
  const animals = new Map<string, Animal>()
  const orders = new Map<number, Order>()
  const fates = new Map<string, 'sent' | 'unknown' | 'acknowledged' | 'rejected' | 'removed'>()
  const seen = new Map<number, string>()
  const imports: (readonly string[])[] = []
  /** From when on each animal that is gone, or never came, may not be counted. */
  const goneMs: number[] = []

  function acknowledge(identity: string, animal: Pick<Animal, 'id' | 'name' | 'categoryId' | 'status'>, delayMs = 0) {
    expect(fates.get(identity)).toBeOneOf(['sent', 'unknown'])
    fates.set(identity, 'acknowledged')
    const nowMs = performance.now()
    const entry = { identity, ...animal, visibleMs: nowMs + delayMs, changedMs: nowMs, isLeaving: false }
    animals.set(identity, entry)
    return entry
  }

  return {
    animals,
    orders,
    fateOf: (identity: string) => fates.get(identity),
    /** To be called before an animal is sent for the first time. */
    sending: (identity: string): void => void fates.set(identity, 'sent'),
    /** The create was acknowledged with this response. */
    added(pet: Pet): Animal {
      this.see(pet)
      return acknowledge(identityOf(pet.name), pet)
    },
    /** An import of these animals was acknowledged. */
    imported(pets: readonly Omit<Pet, 'id' | 'categoryId'>[]): Animal[] {
      return pets.map(({ name, status }) =>
        acknowledge(identityOf(name), { id: undefined, name, categoryId: undefined, status }, noticeMs),
      )
    },
    /** The connection was lost, or the response said that it isn't known. */
    unknown: (identity: string): void => void fates.set(identity, 'unknown'),
    /** A command that adds all of these or none was killed. */
    unknownImport(identities: readonly string[]): void {
      imports.push(identities)
      for (const identity of identities) fates.set(identity, 'unknown')
    },
    /** The response said that nothing was changed. */
    rejected(identity: string): void {
      fates.set(identity, 'rejected')
      goneMs.push(performance.now())
    },
    /** The removal was acknowledged, by a response or, if `isCommand`, by a command. */
    removed(identity: string, isCommand = false): void {
      fates.set(identity, 'removed')
      animals.delete(identity)
      goneMs.push(performance.now() + (isCommand ? noticeMs : 0))
    },
    /** The identities of each of the killed imports. */
    unknownImports: imports,
    /** Throws of an animal that was read unless it was sent and its id never stood for another. */
    see({ id, name }: Pick<Pet, 'id' | 'name'>): void {
      const identity = identityOf(name)
      const fate = fates.get(identity) ?? 'never sent'
      if (fate === 'never sent' || fate === 'rejected') throw new Error(`Animal ${id}, ${name}, was ${fate}.`)
      const other = seen.get(id) ?? identity
      if (other !== identity) throw new Error(`Animal ${id} was ${other} and is now ${name}.`)
      seen.set(id, identity)
    },
    /** The animals that a read which starts now must show, unless they leave meanwhile. */
    visible(): Animal[] {
      const nowMs = performance.now()
      return [...animals.values()].filter(({ visibleMs, isLeaving }) => visibleMs <= nowMs && !isLeaving)
    },
    /** How many animals were ever sent. */
    sent: (): number => fates.size,
    /** How many of them a read which starts now may not count. */
    gone(): number {
      const nowMs = performance.now()
      return goneMs.filter((ms) => ms <= nowMs).length
    },
  }
}
