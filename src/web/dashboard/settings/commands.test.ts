import { expect, test } from 'bun:test'
import { installCommand, restartServiceCommand, restoreCommand, serviceLogCommand } from './commands.ts'

test('commands name the executable, the folder and the environment of the store', () => {
  const production = {
    environment: 'production',
    folder: '/srv/petstore',
    executable: '/opt/shop/petstore',
    runsAs: 'program',
  } as const
  expect(restoreCommand('production-1.db', production)).toBe(
    "/opt/shop/petstore backup restore production-1.db --data '/srv/petstore'",
  )
  const staging = { environment: 'staging', folder: "/srv/Jo's 100 %", executable: null, runsAs: 'program' } as const
  expect(restoreCommand('staging-1.db', staging)).toBe(
    String.raw`petstore backup restore staging-1.db --data '/srv/Jo'\''s 100 %' --environment staging`,
  )
})

test('commands of a service need sudo and name the environment', () => {
  const service = {
    environment: 'staging',
    folder: '/var/lib/petstore-staging',
    executable: '/usr/local/bin/petstore-staging',
    runsAs: 'service',
  } as const
  expect(restoreCommand('staging-1.db', service)).toStartWith('sudo /usr/local/bin/petstore-staging backup restore')
  expect(restartServiceCommand(service)).toBe('sudo systemctl restart petstore-staging')
  expect(serviceLogCommand(service)).toBe('sudo journalctl -u petstore-staging')
  const byHand = { ...service, environment: 'production', executable: '/opt/petstore', runsAs: 'program' } as const
  expect(installCommand(byHand)).toBe('sudo /opt/petstore service install')
})

test('a store in a container is restored in another container', () => {
  const place = {
    environment: 'staging',
    folder: '/data',
    executable: '/usr/local/bin/petstore',
    runsAs: 'container',
  } as const
  expect(restoreCommand('staging-1.db', place)).toBe(
    'docker run --rm -v petstore-data:/data petstore backup restore staging-1.db --environment staging',
  )
})
