/** Compiles the checks of what requests contain. */

import type { TSchema } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'

/** Returns a function that returns the check of `schema`, compiled by its first call: a start compiles none. */
export function lazyCheck<S extends TSchema>(schema: S): () => TypeCheck<S> {
  let check: TypeCheck<S> | undefined
  return () => {
    check ??= TypeCompiler.Compile(schema)
    return check
  }
}
