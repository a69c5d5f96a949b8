/** `petstore pets export`: writes all animals to standard output, no faster than they are read. */

import { storeConfig } from '../config/config.ts'
import { type OptionValues, oneOf, text, UsageError } from '../config/values.ts'
import { type ExportFormat, exportFormats, exportPets } from '../shop/imports/export.ts'
import type { Command, Invocation } from './command.ts'
import { withStore } from './store.ts'

export const petsExport: Command = {
  name: 'pets export',
  isLocal: true,
  summary: 'print all animals as CSV or NDJSON',
  details: 'The output is a snapshot of all animals; the server may be running. pets import reads it.',
  options: {
    format: { type: 'string', value: 'FORMAT', help: 'the format', default: 'csv', choices: exportFormats },
  },
  examples: ['pets export > animals.csv', 'pets export --format ndjson | gzip > animals.ndjson.gz'],
  async run({ values, terminal }: Invocation) {
    const format = formatOf(values)
    await withStore(storeConfig(values), async (store) => {
      for (const part of exportPets(store, format)) await terminal.write(part)
    })
    return 0
  },
}

function formatOf(values: OptionValues): ExportFormat {
  const given = text(values, 'format')
  if (values['json'] !== true) return oneOf('format', exportFormats, given ?? 'csv')
  if (given !== undefined) throw new UsageError('--json and --format exclude each other: leave out one of them.')
  return 'json'
}
