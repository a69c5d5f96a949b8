/** The fields of an animal that a file can have: its own, and the members of its profile. */

export const importFields = [
  'name',
  'category',
  'categoryId',
  'status',
  'number',
  'breed',
  'color',
  'sex',
  'birthDate',
  'microchip',
  'price',
  'description',
  'published',
  'attributes',
] as const

export type ImportField = (typeof importFields)[number]
