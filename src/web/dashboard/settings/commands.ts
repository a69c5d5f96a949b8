/** The commands for backups, ready to be copied. */

import type { Schemas } from '../api/client.ts'

type Place = Pick<Schemas['System'], 'environment' | 'folder' | 'executable'>

/** Restores a backup into the store while it is stopped. */
export function restoreCommand(name: string, place: Place): string {
  return `${programOf(place)} backup restore ${name} ${options(place)}`
}

/** A line of a crontab: a backup every night, kept for two weeks. */
export function nightlyBackups(place: Place): string {
  const create = `${programOf(place)} backup create ${options(place)} >/dev/null`
  const remove = `find ${quoted(`${folderOf(place)}/backups`)} -name '${place.environment}-*.db' -mtime +14 -delete`
  // A crontab takes a percent sign for the end of the line.
  return `15 3 * * *  ${`${create} && ${remove}`.replaceAll('%', String.raw`\%`)}`
}

/** A crontab has another PATH than a terminal. */
const programOf = ({ executable }: Place) =>
  executable === null || /^[\w./:@-]+$/.test(executable) ? (executable ?? 'petstore') : quoted(executable)

const folderOf = ({ folder }: Place) => folder ?? './data'

function options(place: Place): string {
  return `--data ${quoted(folderOf(place))}${place.environment === 'staging' ? ' --environment staging' : ''}`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
