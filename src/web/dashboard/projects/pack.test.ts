import { expect, test } from 'bun:test'
import { emptyFolder } from '../../../testing/executable.ts'
import { pack } from './pack.ts'

test('tar unpacks what is packed, also long names, names in other scripts and empty files', async () => {
  const contents: Readonly<Record<string, string>> = {
    'index.html': '<h1>Hello</h1>',
    'assets/ö/Ünïcode 猫.txt': 'cat',
    [`${'deep/'.repeat(30)}page.html`]: 'deep',
    [`${'n'.repeat(97)}.js`]: 'exactly 100 bytes of a name',
    'empty.txt': '',
    'block.bin': 'x'.repeat(512),
  }
  const files = Object.entries(contents).map(([path, text]) => ({ path, file: new File([text], path) }))
  const folder = emptyFolder()
  try {
    await Bun.write(`${folder.path}/site.tar.gz`, await pack(files))
    const tar = Bun.spawnSync(['tar', 'xzf', 'site.tar.gz'], { cwd: folder.path })
    expect([tar.exitCode, tar.stderr.toString()]).toEqual([0, ''])
    for (const [path, text] of Object.entries(contents)) {
      expect([path, await Bun.file(`${folder.path}/${path}`).text()]).toEqual([path, text])
    }
  } finally {
    folder.remove()
  }
})
