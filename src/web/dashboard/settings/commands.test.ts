import { expect, test } from 'bun:test'
import { restoreCommand } from './commands.ts'

test('commands name the executable, the folder and the environment of the store', () => {
  const production = { environment: 'production', folder: '/srv/petstore', executable: '/opt/shop/petstore' } as const
  expect(restoreCommand('production-1.db', production)).toBe(
    "/opt/shop/petstore backup restore production-1.db --data '/srv/petstore'",
  )
  const staging = { environment: 'staging', folder: "/srv/Jo's 100 %", executable: null } as const
  expect(restoreCommand('staging-1.db', staging)).toBe(
    String.raw`petstore backup restore staging-1.db --data '/srv/Jo'\''s 100 %' --environment staging`,
  )
})
