/** `petstore pets export`: writes all animals to standard output, no faster than they are read. */

import { type OptionValues, oneOf, text, UsageError } from '../../config/values.ts'
import { byteSize } from '../../lib/byte-size.ts'
import { systemClock } from '../../lib/clock.ts'
import { type ExportFormat, exportFormats } from '../../shop/imports/export.ts'
import type { Pet } from '../../shop/pets/schemas.ts'
import { withClient } from '../client/client.ts'
import type { Command, Invocation } from '../command.ts'
import { createProgress } from '../terminal/progress.ts'

/** A program that reads only the beginning, or a pager, has the terminal for itself. */
const progressAfterMs = 1_000

export const petsExport: Command = {
  name: 'pets export',
  summary: 'print all animals as CSV or NDJSON',
  details: 'The output is a snapshot of all animals; the server may be running. pets import reads it.',
  options: {
    format: { value: 'FORMAT', help: 'the format', default: 'csv', choices: exportFormats },
  },
  examples: ['pets export > animals.csv', 'pets export --format ndjson | gzip > animals.ndjson.gz'],
  async run(invocation: Invocation) {
    const { values, terminal } = invocation
    const format = formatOf(values)
    const isJson = values['json'] === true
    const { errColumns, outColumns } = terminal
    // Where both are the same terminal, the animals show the progress.
    const columns = outColumns === undefined ? errColumns : undefined
    const bar = createProgress({ err: terminal.err, errColumns: columns }, systemClock, progressAfterMs)
    await withClient(invocation, async (client) => {
      const texts = decoded((await client.download(`/exports/pets?format=${format}`)).chunks)
      let length = 0
      for await (const part of isJson ? asArray(texts) : texts) {
        await terminal.write(part)
        length += part.length
        bar.update(byteSize(length))
      }
    }).finally(bar.clear)
    return 0
  },
}

function formatOf(values: OptionValues): ExportFormat {
  const given = text(values, 'format')
  if (values['json'] !== true) return oneOf('format', exportFormats, given ?? 'csv')
  if (given !== undefined) throw new UsageError('--json and --format exclude each other: leave out one of them.')
  return 'ndjson'
}

async function* decoded(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true })
}

/** One array of the API's animals, from lines with one animal each, which have the name of its category in addition. */
async function* asArray(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  let isFirst = true
  yield '['
  for await (const part of texts) {
    const lines = (rest + part).split('\n')
    rest = lines.pop() ?? ''
    const animals = lines.map((line) => {
      const { id, name, categoryId, status } = JSON.parse(line) as Pet
      return JSON.stringify({ id, name, categoryId, status })
    })
    if (animals.length === 0) continue
    yield (isFirst ? '' : ',') + animals.join(',')
    isFirst = false
  }
  yield ']\n'
}
