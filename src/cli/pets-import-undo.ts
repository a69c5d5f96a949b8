/** `petstore pets import --undo ID`: removes the records that an import added, except those changed or ordered since. */

import { systemClock } from '../lib/clock.ts'
import type { UndoneImport } from '../shop/imports/schemas.ts'
import { withClient } from './client.ts'
import type { Invocation } from './command.ts'
import { plural, print } from './output.ts'
import { createProgress } from './progress.ts'

export async function undoImport(invocation: Invocation, importId: number): Promise<void> {
  const { terminal } = invocation
  const bar = createProgress(terminal, systemClock)
  bar.update(`Undoing import ${importId}`)
  const undo = withClient(invocation, (client) => client.call<UndoneImport>('DELETE', `/imports/${importId}`))
  const done = await undo.finally(bar.clear)
  const { id, removed, changed, ordered } = done
  print(invocation, { id, removed, changed, ordered }, describe(done))
}

function describe({ id, removed, removedCategories, changed, ordered }: UndoneImport): string {
  const categories = removedCategories > 0 ? ` and ${pluralCategories(removedCategories)}` : ''
  const lines = [`Removed ${plural(removed, 'animal')}${categories} of import ${id}.`]
  const reasons = [
    ...(changed > 0 ? [`${plural(changed, 'animal')} changed since the import`] : []),
    ...(ordered > 0 ? [`${plural(ordered, 'animal')} ordered since`] : []),
  ]
  if (reasons.length > 0) lines.push(`Kept ${reasons.join(' and ')}.`)
  return lines.join('\n')
}

function pluralCategories(count: number): string {
  return count === 1 ? '1 category' : `${count.toLocaleString('en')} categories`
}
