import { expect, test } from 'bun:test'
import { nameProblem } from './name.ts'

test('a name that the API rejects is refused in words, before it is sent', () => {
  const unseen = 'This name contains characters that cannot be shown. Type it anew.'
  for (const [name, problem] of [
    [' ', 'Enter a name.'],
    ['👩‍👩‍👧'.repeat(13), 'This name is too long. Use at most 64 letters.'],
    ['Rex\tDog', unseen],
    ['Rex\u0085', unseen],
    [' \tRex\n', undefined],
    ['🐕'.repeat(64), undefined],
    ['Zoë’s قطة', undefined],
  ] as const) {
    expect([name, nameProblem(name, 'Enter a name.', 64)]).toEqual([name, problem])
  }
})
