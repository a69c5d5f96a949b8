/** The fields of an animal that a file can have: its own, and the members of its profile. */

import { profileMembers } from '../../profiles/rules.ts'

export const importFields = ['name', 'category', 'categoryId', 'status', ...profileMembers] as const

export type ImportField = (typeof importFields)[number]
