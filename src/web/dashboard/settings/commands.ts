/** The command that restores a backup, ready to be copied. */

import type { Schemas } from '../api/client.ts'

type Place = Pick<Schemas['System'], 'environment' | 'folder' | 'executable'>

/** Restores a backup into the store while it is stopped. */
export function restoreCommand(name: string, place: Place): string {
  return `${programOf(place)} backup restore ${name} ${options(place)}`
}

const programOf = ({ executable }: Place) =>
  executable === null || /^[\w./:@-]+$/.test(executable) ? (executable ?? 'petstore') : quoted(executable)

const folderOf = ({ folder }: Place) => folder ?? './data'

function options(place: Place): string {
  return `--data ${quoted(folderOf(place))}${place.environment === 'staging' ? ' --environment staging' : ''}`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
