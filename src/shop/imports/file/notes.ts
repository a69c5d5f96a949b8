/** What the owner should know of how a file was read: what was guessed, and what is not used. */

import { countNames, shownName } from './columns.ts'
import { describeCandidates, encodingLabels } from './encoding.ts'
import type { Findings } from './findings.ts'
import type { Layout } from './rows.ts'
import { foldedWord, statusOf } from './words.ts'

export const noteKinds = [
  'sheet',
  'encoding',
  'header',
  'no_status',
  'status_words',
  'uncertain',
  'repeated_numbers',
  'quantity',
  'age',
  'empty_category',
  'left_out',
  'totals',
  'already_there',
] as const

export interface Note {
  readonly kind: (typeof noteKinds)[number]
  readonly message: string
}

export interface NoteOptions {
  /** The number of animals that the file adds; 0 if that is unknown. */
  readonly animals: number
  /** The numbers of rows whose animal is there, by its number or, for a dry run, by its name and category. */
  readonly alreadyThere: number
  readonly unchanged: number
  readonly changed: number
  readonly repeated: number
  /** The number of rows that are left out because of a word. */
  readonly leftOut: number
  /** Whether the animals were added. */
  readonly isDone: boolean
}

/** From this share of its rows on, a file was probably imported before. */
const nearlyAll = 0.9

/** The most words of a file in a note. */
const shownWords = 20

/** The notes on the sheet and the encoding of a file. */
export function notesOfText({ sheet, encoding }: Pick<Findings, 'sheet' | 'encoding'>): Note[] {
  const notes: Note[] = []
  const others = sheet?.sheets.filter((name) => name !== sheet.name) ?? []
  if (others.length > 0) {
    const listed = [...others.slice(0, shownWords), ...(others.length > shownWords ? ['…'] : [])].join(', ')
    notes.push({ kind: 'sheet', message: `Read the sheet "${sheet?.name}": sheet=NAME reads another (${listed}).` })
  }
  const readings = encoding ? describeCandidates(encoding.candidates) : ''
  if (readings !== '') {
    const advice = `choose with encoding=${encoding?.name} before an import`
    notes.push({ kind: 'encoding', message: `The text of the file can be ${readings}: ${advice}.` })
  } else if (encoding?.isGuessed) {
    const label = encodingLabels[encoding.name]
    notes.push({ kind: 'encoding', message: `Read as ${label}, which is a guess: encoding=NAME changes it.` })
  }
  return notes
}

/** The notes on the columns and rows of a file. Their messages name parameters such as `columns=price=#3`. */
export function notesOf(layout: Layout, { animals, leftOut, isDone, ...there }: NoteOptions): Note[] {
  const { located, columns, totals, reading } = layout
  const columnOf = (index: number) => `"${shownName(columns[index]?.name ?? '', index)}"`
  const numbered = (index: number) => `#${index + 1} ${columnOf(index)}`
  const rows = (count: number) => (count === 1 ? '1 row' : `${count.toLocaleString('en')} rows`)
  const notes: Note[] = []
  const note = (kind: Note['kind'], message: string) => notes.push({ kind, message })

  const header = headerToShow(layout)
  if (header !== undefined) note('header', `Line ${layout.headerLine} names the columns: ${header}.`)
  const hasStatus = located.indexes.has('status') || reading.columns.chosen.has('status')
  const isUnknown = !isDone && there.alreadyThere + there.unchanged + there.changed === 0
  if (!hasStatus && located.fault === undefined && (animals > 0 || isUnknown)) {
    const all = animals === 0 ? 'all animals' : animals === 1 ? 'the animal' : `all ${animals.toLocaleString('en')}`
    const are = !isDone ? 'would be' : animals === 1 ? 'is' : 'are'
    note('no_status', `No column for the status: ${all} ${are} available.`)
  }
  const words = wordsToShow(layout)
  if (words.length > 0) note('status_words', `Read as a status: ${words.join(', ')}.`)
  for (const { field, columns: possible } of located.questions) {
    // That of the name or the category is a fault.
    if (field === 'name' || field === 'category') continue
    const [first = 0] = possible
    const advice = `choose one with columns=${field}=#${first + 1}`
    note('uncertain', `It is not certain that the ${field} is in ${possible.map(numbered).join(' or ')}: ${advice}.`)
  }
  if (located.repeatedNumber !== undefined) {
    note('repeated_numbers', `${columnOf(located.repeatedNumber)} is not used as the number: its values repeat.`)
  }
  if (located.quantity !== undefined) {
    note('quantity', `${columnOf(located.quantity)} is not used: each row is one animal.`)
  }
  if (located.age !== undefined && !located.indexes.has('birthDate')) {
    const advice = `columns=birthDate=#${located.age + 1}`
    note('age', `${columnOf(located.age)} is not used: choose it with ${advice} to read ages as dates of birth.`)
  }
  const empty = emptyCategories(layout)
  if (empty > 0) note('empty_category', `${rows(empty)} without a category: fill=category gives them the one above.`)
  if (leftOut > 0) note('left_out', `${rows(leftOut)} left out because of a word for the status or the category.`)
  const known = there.alreadyThere + there.unchanged + there.repeated
  const all = animals + there.alreadyThere + there.unchanged
  if (!isDone && known > 0 && known >= all * nearlyAll) {
    const counts = [...(known === all ? ['All'] : [known, 'of']), all].map((one) => one.toLocaleString('en')).join(' ')
    const are = all === 1 ? 'The animal of the file is' : `${counts} animals of the file are`
    const by = there.repeated > 0 ? 'with the same name and category, or the same number' : 'with the same number'
    note('already_there', `${are} in the store already, ${by}.`)
  }
  for (const line of totals) note('totals', `Line ${line} is left out: it is a total.`)
  return notes
}

/** The number of rows that perhaps belong to the category of the row above them. */
function emptyCategories({ located, columns, samples, rows, reading }: Layout): number {
  const indexes = located.indexes.get('category') ?? []
  const [index = -1] = indexes
  const hasFirst = (samples[0]?.[index] ?? '') !== ''
  if (indexes.length !== 1 || !hasFirst || reading.fill !== undefined || located.indexes.has('categoryId')) return 0
  return rows - (columns[index]?.filled ?? 0)
}

const shownHeader = 300

/** The header, unless it is the first line and names columns that are known. */
function headerToShow({ headerLine, delimiter, columns, reading }: Layout): string | undefined {
  if (headerLine === null || delimiter === null) return undefined
  const names = columns.map(({ name }) => name)
  if (headerLine === 1 && countNames(names, reading.columns) > 1) return undefined
  const text = names.join(delimiter)
  return text.length <= shownHeader ? text : `${text.slice(0, shownHeader).toWellFormed()}…`
}

/** The words that are read as a status though they are none of the store, and that the owner has not mapped. */
function wordsToShow({ located, columns, reading: { statuses } }: Layout): string[] {
  const found = (located.indexes.get('status') ?? []).flatMap((index) => {
    const { name, words } = columns[index] ?? { name: '', words: new Map<string, number>() }
    return [...words].flatMap(([word, count]) => {
      const status = statusOf(word, name, new Map())
      const isOwn = status === foldedWord(word) || statuses.has(foldedWord(word))
      return status && !isOwn ? { word, status, count } : []
    })
  })
  const sorted = found.sort((a, b) => b.count - a.count)
  const shown = sorted
    .slice(0, shownWords)
    .map(({ word, status, count }) => `"${word}" as ${status} (${count.toLocaleString('en')})`)
  return sorted.length > shownWords ? [...shown, `and ${sorted.length - shownWords} more words`] : shown
}
