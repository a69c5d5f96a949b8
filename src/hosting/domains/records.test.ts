import { expect, test } from 'bun:test'
import { recordsFor } from './records.ts'

const notesOf = (publicAddresses: readonly string[]) =>
  recordsFor({
    hostname: 'kiosk.example',
    zone: 'kiosk.example',
    cnameTarget: 'token.edge.stores.example',
    publicAddresses,
    token: undefined,
  }).map(({ type, note }) => `${type}: ${note}`)

test('the notes of a whole domain name only the records that the service has addresses for', () => {
  const [alias, address, ...more] = notesOf(['192.0.2.10'])
  expect(more).toEqual([])
  expect(alias).toContain('create the A record instead, or use www.kiosk.example')
  expect(address).toContain('A: Only if your provider has no ALIAS record. Create this record, and no others')
  expect(notesOf(['192.0.2.10', '192.0.2.11'])[0]).toContain('create the A records instead')
  expect(notesOf(['192.0.2.10', '2001:db8::1'])[0]).toContain('create the A and AAAA records instead')
  expect(notesOf([])).toEqual([expect.not.stringContaining('instead, or')])
})
