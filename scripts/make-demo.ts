/**
 * Writes data/demo-animals.csv, the animals of `petstore demo`, from the records of a real shelter (City of Austin,
 * public domain):
 *
 *     . scripts/bun.sh && bun scripts/make-demo.ts ../shared/data/austin-animal-center-outcomes.csv
 *
 * Every name is used once. The file has all named animals of the rarer kinds, and dogs and cats up to a total of 300.
 */

import { fileURLToPath } from 'node:url'
import { parse } from 'csv-parse/sync'
import { stringify } from 'csv-stringify/sync'

interface Animal {
  readonly name: string
  readonly category: string
}

const size = 300

/** The category for each type of the shelter. The rare ones are first, because each name is used once. */
const categoryOf = new Map([
  ['Crab/fish', 'Fish'],
  ['Reptile', 'Reptile'],
  ['Bird', 'Bird'],
  ['Fowl', 'Bird'],
  ['Ferret', 'Small animal'],
  ['Rodent', 'Small animal'],
  ['Guinea Pig', 'Small animal'],
  ['Rabbit', 'Rabbit'],
  ['Kitten', 'Cat'],
  ['Cat', 'Cat'],
  ['Puppy', 'Dog'],
  ['Dog', 'Dog'],
])
const plentiful = new Set(['Cat', 'Dog'])

/** Words that shelters write instead of a name, and words unsuitable for a demonstration. */
const unsuitable = /\b(no name|unknown|unnamed|stray|baby|boy|girl|cat|dog|kitten|puppy|mama|collar|ganja|tresemme)\b/i

/** The name without symbols and with capital initials, or undefined if it is unsuitable. */
function tidied(given: string): string | undefined {
  const words = given
    .replace(/\*/g, '')
    .replace(/\.(?=\S)/g, '. ')
    .trim()
    .split(/\s+/)
  const name = words.map((word) => word.replace(/[^-]+/g, capitalized)).join(' ')
  const isName = /^\p{Lu}[\p{L}'-]+\.?( \p{Lu}[\p{L}'-]*)*$/u.test(name) && name.length <= 20
  return isName && !unsuitable.test(name) ? name : undefined
}

/** `BELLA` and `bella` become `Bella`; `McKenzie` and `DeeDee` are unchanged. */
function capitalized(word: string): string {
  const isMixed = /^\p{Lu}.*\p{Ll}/u.test(word)
  return isMixed ? word : word.slice(0, 1).toUpperCase() + word.slice(1).toLowerCase()
}

/** `count` animals at equal distances in the list. */
function sample(animals: readonly Animal[], count: number): Animal[] {
  return animals.filter(
    (_, i) => Math.floor((i * count) / animals.length) !== Math.floor(((i - 1) * count) / animals.length),
  )
}

const [source = ''] = process.argv.slice(2)
const rows: Record<string, string>[] = parse(await Bun.file(source).text(), { columns: true, bom: true })

const named = new Set<string>()
const byCategory = new Map<string, Animal[]>()
for (const [type, category] of categoryOf) {
  const animals = byCategory.get(category) ?? []
  byCategory.set(category, animals)
  for (const row of rows) {
    const name = row['Type'] === type ? tidied(row['Name'] ?? '') : undefined
    if (name === undefined || named.has(name)) continue
    named.add(name)
    animals.push({ name, category })
  }
}

const rare = [...byCategory].filter(([category]) => !plentiful.has(category)).map(([, animals]) => animals)
const left = size - rare.flat().length
const dogs = sample(byCategory.get('Dog') ?? [], Math.ceil(left / 2))
const cats = sample(byCategory.get('Cat') ?? [], Math.floor(left / 2))

// The animals of each kind are distributed over the whole list, so that its first page shows several kinds.
const placed = [...rare, cats, dogs].flatMap((animals) =>
  animals.map((animal, i) => ({ animal, place: (i + 0.5) / animals.length })),
)
const animals = placed.sort((one, other) => one.place - other.place).map(({ animal }) => animal)

const target = fileURLToPath(new URL('../data/demo-animals.csv', import.meta.url))
await Bun.write(target, stringify(animals, { header: true, columns: ['name', 'category'] }))
console.log(`${animals.length} animals in ${byCategory.size} categories: ${target}`)
