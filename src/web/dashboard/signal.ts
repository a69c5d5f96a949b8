/** A value outside of the components. Components that show it render again when it changes. */

import { useSyncExternalStore } from 'react'

interface Signal<T> {
  get(): T
  set(next: T): void
  /** Returns a function that ends the subscription. */
  subscribe(listener: () => void): () => void
}

export function createSignal<T>(initial: T): Signal<T> {
  let value = initial
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set(next) {
      value = next
      for (const listener of listeners) listener()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** The value, or a part of it: the component renders again only when that changes. */
export function useSignal<T>(signal: Signal<T>): T
export function useSignal<T, P>(signal: Signal<T>, part: (value: T) => P): P
export function useSignal<T, P>(signal: Signal<T>, part?: (value: T) => P): T | P {
  return useSyncExternalStore(signal.subscribe, () => (part === undefined ? signal.get() : part(signal.get())))
}
