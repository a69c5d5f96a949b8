import { expect, test } from 'bun:test'
import { messageOf } from '../../lib/error.ts'
import { explained } from './files.ts'

test('a reason that is about a file follows its path', () => {
  const of = (code: string, path?: string) =>
    messageOf(
      explained(
        'No backup was made',
        Object.assign(new Error('failed'), path === undefined ? { code } : { code, path }),
      ),
    )
  expect(of('EACCES', '/srv/backups')).toBe(
    "No backup was made: /srv/backups can't be used: its permissions forbid it.",
  )
  expect(of('EROFS', '/srv/backups')).toStartWith("No backup was made: /srv/backups can't be used: it is on a disk")
  expect(of('ENOSPC', '/srv/backups')).toBe('No backup was made: the disk is full.')
  expect(of('SQLITE_CORRUPT')).toBe('No backup was made: the database is damaged.')
})
