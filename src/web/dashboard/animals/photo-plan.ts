/** To which animals photos belong: the name of each file begins with the number of its animal, as in "A-1042-2.jpg". */

import { isolated } from '../ui/format.ts'
import { longestNumber } from './filters.ts'
import { mostPhotos, photoTypes } from './upload-photos.ts'

/** An animal that was found by its number. */
export interface NumberedAnimal {
  readonly id: number
  readonly name: string
  readonly number: string
  readonly photoCount: number
}

interface NamedFile {
  readonly name: string
  readonly type: string
}

interface PlannedPhoto<F> {
  readonly file: F
  readonly animal: NumberedAnimal
}

export interface PhotoPlan<F> {
  /** In the order in which an animal gets them. */
  readonly uploads: readonly PlannedPhoto<F>[]
  /** The files that are left out, and why. */
  readonly left: readonly { readonly file: F; readonly reason: string }[]
}

const inOrder = new Intl.Collator(undefined, { numeric: true })

/** The name of a file without its ending: A-1042.jpg comes before A-1042-2.jpg. */
const stemOf = (fileName: string): string =>
  fileName
    .replace(/\.[^.]*$/, '')
    .normalize('NFC')
    .trim()

/**
 * The numbers with which the name of a file can begin, longest first. A number does not end within digits or letters:
 * the file 1042.jpg does not belong to animal 10.
 */
export function numbersIn(fileName: string): readonly string[] {
  const stem = stemOf(fileName)
  const ends = [...stem.matchAll(/[\p{L}\p{M}]+|\p{N}+|[^\s._-]/gu)].map(({ 0: part, index }) => index + part.length)
  return ends
    .map((end) => stem.slice(0, end))
    .filter((number) => [...number].length <= longestNumber)
    .reverse()
}

/** `animals` are those with a number that a file can begin with, by that number in lower case. */
export function planOf<F extends NamedFile>(
  files: readonly F[],
  animals: ReadonlyMap<string, NumberedAnimal>,
): PhotoPlan<F> {
  const uploads: PlannedPhoto<F>[] = []
  const left: { file: F; reason: string }[] = []
  const counts = new Map<number, number>()
  for (const file of files.toSorted((a, b) => inOrder.compare(stemOf(a.name), stemOf(b.name)))) {
    const number = numbersIn(file.name).find((one) => animals.has(one.toLowerCase()))
    const animal = animals.get(number?.toLowerCase() ?? '')
    if (!photoTypes.split(',').includes(file.type)) {
      left.push({ file, reason: 'Not a JPEG, PNG or WebP image' })
    } else if (animal === undefined) {
      left.push({ file, reason: 'No animal has a number with which this name begins' })
    } else {
      const count = counts.get(animal.id) ?? animal.photoCount
      if (count >= mostPhotos)
        left.push({ file, reason: `${isolated(animal.name)} has ${mostPhotos} photos, the most` })
      else {
        counts.set(animal.id, count + 1)
        uploads.push({ file, animal })
      }
    }
  }
  return { uploads, left }
}
