/** Commands for the store's computer, ready to be copied. */

import type { Schemas } from '../api/client.ts'

type Place = Pick<Schemas['System'], 'environment' | 'folder' | 'executable' | 'runsAs'>

/** Restores a backup into the store while it is stopped. */
export function restoreCommand(name: string, place: Place): string {
  // The names in compose.yaml and the guide: a container does not know its own.
  if (place.runsAs === 'container') {
    return `docker run --rm -v petstore-data:/data petstore backup restore ${name}${stagingOf(place)}`
  }
  return `${sudoOf(place)}${programOf(place)} backup restore ${name} ${options(place)}`
}

/** Installs the store, or its staging copy, as a service of the computer. */
export function installCommand(place: Place): string {
  return `sudo ${programOf(place)} service install${stagingOf(place)}`
}

/** Restarts the service of the store. */
export const restartServiceCommand = (place: Place) => `sudo systemctl restart ${serviceOf(place)}`

/** Prints the log of the service of the store. */
export const serviceLogCommand = (place: Place) => `sudo journalctl -u ${serviceOf(place)}`

const serviceOf = ({ environment }: Place) => (environment === 'staging' ? 'petstore-staging' : 'petstore')

const stagingOf = ({ environment }: Place) => (environment === 'staging' ? ' --environment staging' : '')

/** Only root may read the store of a service. */
const sudoOf = ({ runsAs }: Place) => (runsAs === 'service' ? 'sudo ' : '')

const programOf = ({ executable }: Place) =>
  executable === null || /^[\w./:@-]+$/.test(executable) ? (executable ?? 'petstore') : quoted(executable)

const folderOf = ({ folder }: Place) => folder ?? './data'

function options(place: Place): string {
  return `--data ${quoted(folderOf(place))}${stagingOf(place)}`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
