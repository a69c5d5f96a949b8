import { describe, expect, test } from 'bun:test'
import {
  hostingCommand,
  installCommand,
  type Place,
  resetCommand,
  restartServiceCommand,
  restoreCommand,
  serviceLogCommand,
  whereToRun,
} from './commands.ts'

const program: Place = {
  environment: 'production',
  folder: '/srv/petstore',
  executable: '/opt/shop/petstore',
  runsAs: 'program',
  container: null,
}
const service: Place = {
  ...program,
  environment: 'staging',
  folder: '/var/lib/petstore-staging',
  executable: '/usr/local/bin/petstore-staging',
  runsAs: 'service',
}
const id = 'a'.repeat(64)
const inContainer: Place = {
  ...program,
  folder: '/data',
  executable: '/usr/local/bin/petstore',
  runsAs: 'container',
  container: { engine: 'docker', id },
}

describe('the commands of a store', () => {
  test('name the executable, the folder and the environment', () => {
    expect(restoreCommand('production-1.db', program)).toBe(
      '/opt/shop/petstore backup restore production-1.db --data /srv/petstore',
    )
    expect(resetCommand(program)).toBe('/opt/shop/petstore owner reset --data /srv/petstore')
    expect(hostingCommand(program, 'shop.example')).toBe(
      '/opt/shop/petstore serve --data /srv/petstore --platform-domain shop.example',
    )
    expect(hostingCommand(service, 'shop.example')).toBe(
      'sudo /usr/local/bin/petstore-staging service install --environment staging --platform-domain shop.example',
    )
    const odd: Place = { ...program, environment: 'staging', folder: "/srv/Jo's 100 %", executable: '/opt/My shop/pet' }
    expect(restoreCommand('staging-1.db', odd)).toBe(
      String.raw`'/opt/My shop/pet' backup restore staging-1.db --data '/srv/Jo'\''s 100 %' --environment staging`,
    )
    expect([program, inContainer].map(whereToRun)).toEqual(['on its computer', 'on its computer'])
  })

  test('of a service need sudo, and stop and start it', () => {
    expect(restoreCommand('staging-1.db', service).split('\n')).toEqual([
      'sudo systemctl stop petstore-staging',
      'sudo /usr/local/bin/petstore-staging backup restore staging-1.db --data /var/lib/petstore-staging --environment staging',
      'sudo systemctl start petstore-staging',
    ])
    expect(resetCommand(service)).toBe(
      'sudo /usr/local/bin/petstore-staging owner reset --data /var/lib/petstore-staging --environment staging',
    )
    expect(restartServiceCommand(service)).toBe('sudo systemctl restart petstore-staging')
    expect(serviceLogCommand(service)).toBe('sudo journalctl -u petstore-staging')
    expect(installCommand(program)).toBe('sudo /opt/shop/petstore service install')
  })

  test('of a container use its id, its image and its volumes', () => {
    expect(restoreCommand('production-1.db', inContainer).split('\n')).toEqual([
      `docker stop ${id}`,
      `docker run --volumes-from ${id} --entrypoint /usr/local/bin/petstore $(docker inspect -f '{{.Image}}' ${id}) backup restore production-1.db --data /data`,
      `docker start ${id}`,
    ])
    expect(resetCommand({ ...inContainer, container: { engine: 'podman', id } })).toBe(
      `podman exec ${id} /usr/local/bin/petstore owner reset --data /data`,
    )
  })

  test('of a container that does not know its id are for a shell in it', () => {
    const unknown: Place = { ...inContainer, container: null }
    expect(resetCommand(unknown)).toBe('/usr/local/bin/petstore owner reset --data /data')
    expect(whereToRun(unknown)).toBe('in its container')
  })
})
