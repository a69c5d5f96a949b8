/** Commands for the store's computer, ready to be copied. */

import type { components } from '../api/schema.d.ts'

/** How the store runs, and where it is. */
export type Place = Pick<
  components['schemas']['System'],
  'environment' | 'folder' | 'executable' | 'runsAs' | 'container'
>

/** The lines that restore a backup. Those of a service and of a container stop the store before, and start it again. */
export function restoreCommand(name: string, place: Place): string {
  const { runsAs, container } = place
  const restore = `backup restore ${name}${options(place)}`
  if (container !== null) {
    const { engine, id } = container
    const image = `$(${engine} inspect -f '{{.Image}}' ${id})`
    return [
      `${engine} stop ${id}`,
      `${engine} run --volumes-from ${id} --entrypoint ${programOf(place)} ${image} ${restore}`,
      `${engine} start ${id}`,
    ].join('\n')
  }
  if (runsAs !== 'service') return `${programOf(place)} ${restore}`
  const service = serviceOf(place)
  return [
    `sudo systemctl stop ${service}`,
    `sudo ${programOf(place)} ${restore}`,
    `sudo systemctl start ${service}`,
  ].join('\n')
}

/** Prints a new set-up link. */
export function resetCommand(place: Place): string {
  const { runsAs, container } = place
  const reset = `${programOf(place)} owner reset${options(place)}`
  if (container !== null) return `${container.engine} exec ${container.id} ${reset}`
  return runsAs === 'service' ? `sudo ${reset}` : reset
}

/** Where a person runs a command: the engine of a container may not reveal which one it is. */
export const whereToRun = ({ runsAs, container }: Place): string =>
  runsAs === 'container' && container === null ? 'in its container' : 'on its computer'

/** Installs the store, or its staging copy, as a service of the computer. */
export function installCommand(place: Place): string {
  return `sudo ${programOf(place)} service install${stagingOf(place)}`
}

/** Starts the store with a domain for websites. */
export function hostingCommand(place: Place, domain: string): string {
  const start = place.runsAs === 'service' ? installCommand(place) : `${programOf(place)} serve${options(place)}`
  return `${start} --platform-domain ${domain}`
}

/** Restarts the service of the store. */
export const restartServiceCommand = (place: Place) => `sudo systemctl restart ${serviceOf(place)}`

/** Prints the log of the service of the store. */
export const serviceLogCommand = (place: Place) => `sudo journalctl -u ${serviceOf(place)}`

const serviceOf = ({ environment }: Place) => (environment === 'staging' ? 'petstore-staging' : 'petstore')

const stagingOf = ({ environment }: Place) => (environment === 'staging' ? ' --environment staging' : '')

const programOf = ({ executable }: Place) => word(executable ?? 'petstore')

const options = (place: Place) => `${place.folder === null ? '' : ` --data ${word(place.folder)}`}${stagingOf(place)}`

/** A text as one word of a shell: in quotes only if it needs them. */
function word(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
