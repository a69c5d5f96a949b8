import { describe, expect, test } from 'bun:test'
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { imageBytes } from '../../shop/photos/testing/images.ts'
import { isBuilt } from '../../testing/executable.ts'
import { serverPerFile } from '../../testing/per-test/workspace.ts'

const { folder, petstore, json, send } = serverPerFile()
const photos = (...args: string[]) => petstore('pets', 'photos', ...args)

describe.skipIf(!isBuilt)('the photos of an animal', () => {
  test('are added from files, of which each that cannot become a photo is named', async () => {
    const body = JSON.stringify({ name: 'Honeysuckle', categoryId: 2 })
    await send('/v1/pets', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
    const jpeg = await imageBytes('jpeg', 600, 400)
    const write = (name: string, bytes: Uint8Array | string) => writeFileSync(join(folder, name), bytes)
    write('cat.jpg', jpeg)
    write('cut.jpg', jpeg.subarray(0, -9))
    write('cat.heic', '\0\0\0\x18ftypheic')
    write('text.jpg', 'a cat')
    write('empty.png', '')
    write('large.jpg', jpeg)
    truncateSync(join(folder, 'large.jpg'), 20 * 1_048_576 + 1)
    write('cat.png', await imageBytes('png'))
    mkdirSync(join(folder, 'cats'))
    const bad = ['none.jpg', 'cats', 'cat.heic', 'text.jpg', 'empty.png', 'large.jpg', 'cut.jpg', '/dev/null']
    const { code, out, err } = await photos('add', '1', 'cat.jpg', ...bad, 'cat.png')
    expect([code, out]).toEqual([1, 'Added photo 1: cat.jpg, 600 × 400\nAdded photo 2: cat.png, 60 × 40\n'])
    expect(err.trimEnd().split('\n')).toEqual([
      "petstore: none.jpg: The file can't be read: there is no such file.",
      'petstore: cats: This is a directory, not a file. Name the files in it.',
      "petstore: cat.heic: HEIC images can't be read here. Save it as JPEG, and send that.",
      'petstore: text.jpg: The file is not a JPEG, PNG or WebP image. Send a photo in one of these formats.',
      'petstore: empty.png: The file is not a JPEG, PNG or WebP image. Send a photo in one of these formats.',
      'petstore: large.jpg: The file has more than 20 MiB, which is the maximum.',
      'petstore: cut.jpg: The image is damaged: its end is missing. Send the original file again.',
      'petstore: /dev/null: This is not a file.',
    ])
    expect(await json('pets', 'photos', 'add', '1', 'cat.heic', 'cat.jpg')).toEqual({
      added: [{ file: 'cat.jpg', photo: expect.objectContaining({ id: 3, width: 600 }) }],
      errors: [{ file: 'cat.heic', message: expect.stringContaining('HEIC') }],
    })
  })

  test('are listed with their addresses, and removed', async () => {
    expect((await petstore('pets', 'show', '1')).out).toMatch(/^Photos +3$/m)
    const listed = await json('pets', 'photos', 'list', '1')
    expect(listed.map(({ id }: { id: number }) => id)).toEqual([1, 2, 3])
    expect((await photos('list', '1')).out).toContain(`    1  600 × 400  ${listed[0].large}\n`)
    expect(await photos('remove', '1', '2')).toEqual({ code: 0, out: 'Removed photo 2 of animal 1.\n', err: '' })
    expect(await json('pets', 'photos', 'remove', '1', '1')).toEqual(listed[0])
    await photos('remove', '1', '3')
    expect((await photos('list', '1')).out).toContain('has no photos. Add one with: petstore pets photos add 1 FILE')
  })

  test.each([
    [['add', '9', 'cat.jpg'], 1, 'cat.jpg: There is no animal 9.'],
    [['list', '9'], 1, 'There is no animal 9.'],
    [['remove', '1', '9'], 1, 'Animal 1 has no photo 9.'],
    [['add', 'cat.jpg', '1'], 2, 'ID must be a whole number'],
    [['add', '1'], 2, 'An argument is missing: petstore pets photos add ID FILE …'],
    [['remove', '1', 'x'], 2, 'PHOTO must be a whole number'],
  ])('wrong usage is one line: %j', async (args, code, message) => {
    const result = await photos(...args)
    expect([result.code, result.err]).toEqual([code, expect.stringContaining(message)])
    expect(result.err.trimEnd().split('\n')).toHaveLength(1)
  })
})
