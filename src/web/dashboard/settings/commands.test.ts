import { expect, test } from 'bun:test'
import { nightlyBackups, restoreCommand } from './commands.ts'

test('commands name the executable, the folder and the environment of the store', () => {
  const production = { environment: 'production', folder: '/srv/petstore', executable: '/opt/shop/petstore' } as const
  expect(nightlyBackups(production)).toBe(
    "15 3 * * *  /opt/shop/petstore backup create --data '/srv/petstore' >/dev/null && find '/srv/petstore/backups' -name 'production-*.db' -mtime +14 -delete",
  )
  const staging = { environment: 'staging', folder: "/srv/Jo's 100 %", executable: null } as const
  expect(nightlyBackups({ ...staging, executable: '/srv/100 %/petstore' })).toStartWith(
    String.raw`15 3 * * *  '/srv/100 \%/petstore' backup create`,
  )
  expect(nightlyBackups(staging)).toContain(
    String.raw`--data '/srv/Jo'\''s 100 \%' --environment staging >/dev/null && find '/srv/Jo'\''s 100 \%/backups' -name 'staging-*.db'`,
  )
  expect(restoreCommand('staging-1.db', staging)).toBe(
    String.raw`petstore backup restore staging-1.db --data '/srv/Jo'\''s 100 %' --environment staging`,
  )
})
