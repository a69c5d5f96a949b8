/** The fields of an animal that a file can have. */

export const importFields = ['name', 'category', 'categoryId', 'status'] as const

/** Those of its profile, which are not imported yet. */
type ProfileField =
  | 'number'
  | 'breed'
  | 'color'
  | 'sex'
  | 'birthDate'
  | 'microchip'
  | 'price'
  | 'description'
  | 'published'

export type ImportField = (typeof importFields)[number] | ProfileField
