import { expect, test } from 'bun:test'
import { numbersIn, planOf } from './photo-plan.ts'

test.each([
  ['A-1042-2.jpg', ['A-1042-2', 'A-1042', 'A']],
  ['1042b.JPG', ['1042b', '1042']],
  ['12(B) - 3.png', ['12(B) - 3', '12(B)', '12(B', '12(', '12']],
  ['10.5.webp', ['10.5', '10']],
  ['.jpg', []],
  ['no extension', ['no extension', 'no']],
  [`${'7'.repeat(41)}.jpg`, []],
] as const)('the name %s can begin with the numbers %j', (name, numbers) => {
  expect(numbersIn(name)).toEqual([...numbers])
})

const animal = (id: number, number: string, photoCount = 0) =>
  [number.toLowerCase(), { id, name: `Animal ${id}`, number, photoCount }] as const

test('a photo goes to the animal with the longest number with which its name begins, ignoring case', () => {
  const animals = new Map([animal(1, 'A'), animal(2, 'A-10'), animal(3, 'a-1042'), animal(4, '10', 10)])
  const names = [
    'a-1042-10.jpg',
    'A-1042.jpg',
    'A-1042-2.jpg',
    'A-10.jpg',
    'A 3.jpg',
    'B-1.jpg',
    '1042.jpg',
    '10-a.jpg',
    '10-b.jpg',
  ]
  const files = [...names, '10-c.jpg', 'A-10.heic'].map((name) => {
    return { name, type: name.endsWith('jpg') ? 'image/jpeg' : 'image/heic' }
  })
  const { uploads, left } = planOf(files, animals)
  expect(uploads.map(({ file, animal: { id } }) => `${file.name} ${id}`)).toEqual([
    '10-a.jpg 4',
    '10-b.jpg 4',
    'A 3.jpg 1',
    'A-10.jpg 2',
    'A-1042.jpg 3',
    'A-1042-2.jpg 3',
    'a-1042-10.jpg 3',
  ])
  expect(left.map(({ file, reason }) => `${file.name}: ${reason}`)).toEqual([
    '10-c.jpg: Animal 4 has 12 photos, the most',
    '1042.jpg: No animal has a number with which this name begins',
    'A-10.heic: Not a JPEG, PNG or WebP image',
    'B-1.jpg: No animal has a number with which this name begins',
  ])
})
