import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { emptyFolder } from '../../../testing/executable.ts'
import { createAgeKeys, readIdentities } from './encryption.ts'

test('identities are read from what the command that makes one has printed, and a wrong one is refused without being repeated', async () => {
  const folder = emptyFolder()
  const read = async (text: string) => {
    writeFileSync(join(folder.path, 'identity.txt'), text)
    return await readIdentities(join(folder.path, 'identity.txt'))
  }
  const [{ identity: first }, { identity: second }] = await Promise.all([createAgeKeys(), createAgeKeys()])
  const typed = `# of the shop\r\n${first}\n\nPrint this line on paper.\n  ${second.toLowerCase()}\n`
  expect(await read(typed)).toEqual([first, second])
  for (const none of ['', 'Print this line on paper.']) {
    await expect(read(none)).rejects.toThrow(
      /identity\.txt has no age identity: a line with AGE-SECRET-KEY-1 and 58 more/,
    )
  }
  const [last] = second.slice(-1)
  for (const wrong of [second.slice(0, -1), second.slice(0, -1) + (last === 'Q' ? 'P' : 'Q')]) {
    await expect(read(`${first}\n${wrong}`)).rejects.toThrow(
      /^A letter or digit of the identity in \S+identity\.txt is wrong\. Compare it with the paper\.$/,
    )
  }
  await expect(readIdentities(join(folder.path, 'absent'))).rejects.toThrow(
    "absent can't be read: there is no such file.",
  )
  folder.remove()
})
