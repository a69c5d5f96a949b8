import { expect, test } from 'bun:test'
import { readCsv } from '../../../../shop/imports/file/csv.ts'
import { parseReading } from '../../../../shop/imports/file/reading.ts'
import { isFault, isInvalid, readRow } from '../../../../shop/imports/file/rows.ts'
import { ApiError } from '../../api/error.ts'
import { fileProblem, problemWords } from './problems.ts'

test.each([
  [{ name: '', category: 'Dog' }, 'The name is missing.'],
  [{ name: 'Ada', category: ' ' }, 'The category is missing.'],
  [{ name: 'A'.repeat(101), category: 'Dog' }, 'The name is too long. Use at most 100 letters.'],
  [
    { name: 'A\u0007', category: 'D\u0007' },
    'The name contains characters that cannot be shown. Type it again. The category contains characters that cannot be shown. Type it again.',
  ],
  [{ name: 'Ada', categoryId: 'Hund' }, 'This column has the numbers of categories, and "Hund" is not one.'],
  [{ name: 'Ada', categoryId: '-1' }, 'This column has the numbers of categories, and "-1" is not one.'],
  [
    { name: '', category: 'Dog', status: 'da; hier' },
    'The name is missing. The status "da; hier" is unknown. Write available, pending or sold.',
  ],
] as const)('the problem of a row is explained to the owner: %j', (fields, words) => {
  const row = readRow(fields)
  expect(isInvalid(row) && problemWords(row.faults.join('; '))).toBe(words)
})

test.each([
  ['name,category\nAda,Dog,x', /^This row has more columns than the first row: 3 instead of 2\./],
  ['name,category\nAda "A",Dog', /^A text contains a quotation mark/],
  ['name,category\n"Ada" A,Dog', /^A text continues after/],
  ['name,category\n"Ada,Dog', /^A quotation mark .* is not closed/],
])('the problem of a line is explained to the owner: %j', (text, words) => {
  const rows = readCsv(text, parseReading({}))
  const faults = rows.flatMap((row) => (isFault(row) ? [row.fault] : []))
  expect(faults.map(problemWords)).toEqual([expect.stringMatching(words)])
})

test.each([
  [
    'Nothing was imported: line 1: this is a web page, not a list of animals: choose a CSV file.',
    /^This is a web page/,
  ],
  ['Nothing was imported: line 3: there is no line of column names.', /^This file is empty/],
  ['Nothing was imported: line 1: this is a spreadsheet, or a zip archive: save …', /^This is not a list of animals/],
  ['Nothing was imported: line 7: the text begins as UTF-8, and this line is not: …', /damaged from line 7 on/],
])('a file that cannot be read is explained to the owner: %j', (message, words) => {
  const error = (status: number) => new ApiError(new Response(null, { status }), { message })
  expect(fileProblem(error(400))).toMatch(words)
  expect(fileProblem(error(503))).toBeUndefined()
})
