/** `petstore pets export`: all animals on standard output, as fast as its reader takes them. */

import { type OptionValues, oneOf, storeConfig, text, UsageError } from '../config.ts'
import { type ExportFormat, exportFormats, exportPets } from '../transfer/export.ts'
import type { Command, Invocation } from './command.ts'
import { withStore } from './store.ts'

export const petsExport: Command = {
  name: 'pets export',
  summary: 'print all animals as CSV or NDJSON',
  options: { format: { type: 'string', value: 'F', help: `${exportFormats.join(' or ')} (default csv)` } },
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
  if (given !== undefined) throw new UsageError('--json is a format of its own: leave out either that or --format.')
  return 'json'
}
