/** `petstore pets import`: adds the animals of a file, with a progress bar, or undoes an import. */

import { type OptionValues, text, UsageError } from '../../config/values.ts'
import { systemClock } from '../../lib/clock.ts'
import { AppError } from '../../lib/error.ts'
import { encodings } from '../../shop/imports/file/encoding.ts'
import { importFormats } from '../../shop/imports/file/read.ts'
import { existingModes } from '../../shop/imports/plan.ts'
import type { UndoneImport } from '../../shop/imports/schemas.ts'
import { dateOrders } from '../../shop/imports/values/dates.ts'
import { idOf } from '../arguments.ts'
import { withClient } from '../client/client.ts'
import { onStore } from '../client/local.ts'
import type { Command, Invocation } from '../command.ts'
import { count, plural, print } from '../terminal/output.ts'
import { createProgress } from '../terminal/progress.ts'
import { importFile } from './import-file.ts'
import { createReport } from './import-report.ts'

export const petsImport: Command = {
  name: 'pets import',
  summary: 'add the animals of a CSV, NDJSON or spreadsheet file (- for standard input)',
  details:
    'A spreadsheet is an .xlsx, .ods or .xls file. CSV may be separated by commas, semicolons or tabs, in UTF-8, UTF-16 or an encoding of older spreadsheets. Columns with common names such as Type are recognised, and a status by its words. --undo removes the records that an import added, except those changed or ordered since, and puts back what it changed.',
  operands: 'FILE|-',
  arity: [0, 1],
  options: {
    format: { value: 'FORMAT', help: 'the format', default: 'detected from the file', choices: importFormats },
    sheet: { value: 'NAME', help: 'the sheet of a spreadsheet', default: 'the first one' },
    encoding: {
      value: 'NAME',
      help: 'the encoding of a text file',
      default: 'detected from the file',
      choices: encodings,
    },
    columns: {
      multiple: true,
      value: 'MAP',
      help: "the file's columns for name, category, categoryId, status and the members of a profile (number, breed, color, sex, birthDate, microchip, price, description, published), such as name=Name,category=Type; name=Name|Tag takes the first column that has a value; #2 is the second column; status= uses no column",
      default: 'detected from the header',
    },
    statuses: {
      multiple: true,
      value: 'MAP',
      help: "the file's words for a status, such as Adopted=sold,Died=; an empty value leaves the rows out, * is any other word",
      default: 'none',
    },
    category: { value: 'NAME', help: 'one category for all animals', default: "the file's" },
    categories: {
      multiple: true,
      value: 'MAP',
      help: "the file's words for a category, such as Kitten=Cat,Unknown=; an empty value leaves the rows out, * is any other word",
      default: 'none',
    },
    'no-header': { help: 'no line names the columns: all lines are animals', default: 'detected' },
    'header-line': { value: 'N', help: 'the number of the line that names the columns', default: 'detected' },
    fill: {
      value: 'FIELD',
      help: 'a field whose empty cells have the value above them',
      default: 'none',
      choices: ['category'],
    },
    attributes: {
      value: 'COLUMNS',
      help: 'the columns that become attributes of the profile, such as Kennel|Vaccinated, or all that are not used otherwise',
      default: 'none',
    },
    dates: {
      value: 'ORDER',
      help: 'whether dates such as 03/04/2024 begin with the day or the month',
      default: 'detected from other dates',
      choices: dateOrders,
    },
    existing: {
      value: 'WAY',
      help: 'what becomes of rows whose number an animal has: skip them, or update that animal',
      default: 'skip',
      choices: existingModes,
    },
    'dry-run': { help: 'only check the file, and change nothing', default: 'off' },
    'skip-invalid': { help: 'skip invalid rows; without it one invalid row makes the import fail', default: 'off' },
    undo: { value: 'ID', help: 'undo the import with this id instead', default: 'none' },
  },
  completes: 'file',
  changesStore: true,
  examples: [
    'pets import animals.csv',
    "pets import old.csv --columns 'name=Name|Tag,category=Type' --skip-invalid",
    'pets import old.csv --columns status=Outcome --statuses Adopted=sold,Died=',
    'pets import dogs.csv --category Dog',
    'pets import list.csv --existing update --dry-run',
    'pets import --undo 1',
  ],
  async run(invocation: Invocation) {
    const { values, positionals, terminal } = invocation
    const undo = importToUndo(values, positionals)
    if (undo !== undefined) return await undoImport(invocation, undo)
    const report = createReport(terminal, systemClock, values['json'] === true)
    const result = await importFile(invocation, report).catch((error: unknown) => {
      throw report.failed(error)
    })
    report.ended(result, onStore(invocation, `petstore pets import --undo ${result.id}`))
    if (result.rejection !== null) throw new AppError('invalid_body', result.rejection)
    return 0
  },
}

/** The id of the import to undo, or undefined without `--undo`. */
function importToUndo(values: OptionValues, positionals: readonly string[]): number | undefined {
  const given = text(values, 'undo')
  if (given === undefined) {
    if (positionals.length === 0) throw new UsageError('An argument is missing: petstore pets import FILE|-.')
    return undefined
  }
  const others = Object.keys(petsImport.options ?? {}).filter((name) => name !== 'undo' && values[name] !== undefined)
  if (positionals.length > 0 || others.length > 0)
    throw new UsageError('--undo ID accepts neither a file nor the options of an import.')
  return idOf('--undo', given)
}

/** Removes the records that an import added, except those changed or ordered since. */
async function undoImport(invocation: Invocation, importId: number): Promise<number> {
  const { terminal } = invocation
  const bar = createProgress(terminal, systemClock)
  bar.update(`Undoing import ${importId}`)
  const undo = withClient(invocation, (client) => client.call<UndoneImport>('DELETE', `/imports/${importId}`))
  const done = await undo.finally(bar.clear)
  const { removedCategories: _, ...counts } = done
  print(invocation, counts, describeUndone(done))
  return 0
}

function describeUndone({
  id,
  removed,
  removedCategories,
  changed,
  ordered,
  restored,
  notRestored,
}: UndoneImport): string {
  const named = removedCategories === 1 ? '1 category' : `${count(removedCategories)} categories`
  const categories = removedCategories > 0 ? ` and ${named}` : ''
  const lines = [`Removed ${plural(removed, 'animal')}${categories} of import ${id}.`]
  const reasons = [
    ...(changed > 0 ? [`${plural(changed, 'animal')} changed since the import`] : []),
    ...(ordered > 0 ? [`${plural(ordered, 'animal')} ordered since`] : []),
  ]
  if (reasons.length > 0) lines.push(`Kept ${reasons.join(' and ')}.`)
  if (restored > 0) lines.push(`Put back what it had changed of ${plural(restored, 'animal')}.`)
  if (notRestored > 0) lines.push(`${plural(notRestored, 'animal')} can't be put back completely.`)
  return lines.join('\n')
}
