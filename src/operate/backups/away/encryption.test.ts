import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { emptyFolder } from '../../../testing/executable.ts'
import { readIdentities } from './encryption.ts'

test('identities are read from what the command that makes one has printed, and a wrong one is refused without being repeated', () => {
  const folder = emptyFolder()
  const read = (text: string) => {
    writeFileSync(join(folder.path, 'identity.txt'), text)
    return readIdentities(join(folder.path, 'identity.txt'))
  }
  const [first, second] = ['Q', '7'].map((letter) => `AGE-SECRET-KEY-1${letter.repeat(58)}`) as [string, string]
  expect(read(`# of the shop\r\n${first}\n\nPrint this line on paper.\n  ${second}\n`)).toEqual([first, second])
  for (const wrong of ['', 'Print this line on paper.', `${first}\n${second.slice(0, -1)}`]) {
    expect(() => read(wrong)).toThrow(/identity\.txt has no identity of age: a line AGE-SECRET-KEY-1… and 58 more/)
  }
  expect(() => readIdentities(join(folder.path, 'absent'))).toThrow("absent can't be read: there is no such file.")
  folder.remove()
})
