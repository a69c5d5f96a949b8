import { expect, test } from 'bun:test'
import { changedMembers, conflictsOf, editsSince, withEdits } from './edits.ts'

const stored = { breed: 'Boxer', price: '49.90', color: '' }
const edits = { before: { breed: 'Boxer' }, entered: { breed: 'Beagle' } }

test('a change elsewhere is shown, and is a conflict only in a member that is changed here too', () => {
  const other = { ...stored, price: '59.90' }
  expect([changedMembers(edits, other), conflictsOf(edits, other)]).toEqual([['breed'], []])
  expect(withEdits(edits, other)).toEqual({ breed: 'Beagle', price: '59.90', color: '' })
  const same = { ...stored, breed: 'Poodle' }
  expect(conflictsOf(edits, same)).toEqual(['breed'])
  expect(withEdits(edits, same).breed).toBe('Beagle')
})

test('what is entered as it was, or as somebody else has entered it, is no change', () => {
  expect(changedMembers({ ...edits, entered: { breed: 'Boxer' } }, { ...stored, breed: 'Poodle' })).toEqual([])
  expect(changedMembers(edits, { ...stored, breed: 'Beagle' })).toEqual([])
})

test('what is entered while a change is saved is the next change', () => {
  const now = { before: { breed: 'Boxer', color: '' }, entered: { breed: 'Beagles', color: 'Red' } }
  const saved = { ...stored, breed: 'Beagle' }
  const next = editsSince(now, edits, saved)
  expect(next).toEqual({ before: { breed: 'Beagle', color: '' }, entered: { breed: 'Beagles', color: 'Red' } })
  expect([changedMembers(next, saved), conflictsOf(next, saved)]).toEqual([['breed', 'color'], []])
  expect(editsSince(edits, edits, saved)).toEqual({ before: {}, entered: {} })
})
