/** Recognises the answers of a wildcard record: a random name beside the queried one has the same. */

import type { ServerAnswer } from './answer.ts'

/**
 * Whether all answers that are not empty are those of a wildcard. Without DNSSEC a record of its own with the same content
 * looks the same.
 */
export function isOfWildcard(answers: readonly ServerAnswer[], wildcard: readonly ServerAnswer[]): boolean {
  const shown = answers.filter((answer) => valuesOf(answer) !== '')
  return shown.length > 0 && shown.every((answer) => wildcard.some((one) => isSame(answer, one)))
}

function isSame(answer: ServerAnswer, wildcard: ServerAnswer): boolean {
  return answer.type === wildcard.type && valuesOf(answer) === valuesOf(wildcard)
}

function valuesOf({ alias, records }: ServerAnswer): string {
  return [alias, ...records]
    .flatMap((record) => record?.value ?? [])
    .sort()
    .join()
}
