/** Projects on the wire. */

import { type Static, Type } from '@sinclair/typebox'
import { idSchema, label, nullable, openObject, timeSchema } from '../endpoint/schemas.ts'
import { slugPattern } from './slug.ts'
import type { ProjectRow } from './store.ts'

export const maximumNameLength = 100

const projectName = label('ProjectName', maximumNameLength, "The project's name.", 'Paws & Co.')

export const NewProject = openObject(
  {
    name: projectName.given,
    accountId: Type.Optional(
      idSchema('The account to create the project for; needs the scope `admin` unless it is the account of the key.'),
    ),
  },
  { title: 'NewProject', description: 'A project to create.', examples: [{ name: 'Paws & Co.' }] },
)

export const ProjectChange = openObject(
  { name: Type.Optional(projectName.given) },
  {
    title: 'ProjectChange',
    description: 'The members to change; the others are unchanged. A new name does not change the slug.',
    examples: [{ name: 'Paws & Claws' }],
  },
)

export const Project = Type.Object(
  {
    id: idSchema('Unique identifier, assigned by the service.'),
    accountId: idSchema('The account that the project belongs to.'),
    name: projectName.stored,
    slug: Type.String({
      minLength: 1,
      maxLength: 63,
      pattern: slugPattern,
      description:
        'Made from the name when the project is created, unique in the store, and a valid DNS label. It never changes.',
      examples: ['paws-co'],
    }),
    cnameTarget: nullable(
      Type.String({
        format: 'hostname',
        maxLength: 253,
        description: 'Null if this service hosts no websites.',
      }),
    ),
    url: nullable(
      Type.String({
        format: 'uri',
        maxLength: 300,
        description: 'Null if this service hosts no websites.',
      }),
    ),
    createdAt: timeSchema('When the project was created.'),
  },
  { title: 'Project', description: 'A project of an account.' },
)
export type Project = Static<typeof Project>

export const Projects = Type.Array(Project, { title: 'Projects', description: 'A page of projects.', maxItems: 100 })

/** A project as the API shows it. */
export function toProject({ id, accountId, name, slug, createdAt }: ProjectRow): Project {
  return { id, accountId, name, slug, cnameTarget: null, url: null, createdAt: new Date(createdAt).toISOString() }
}
