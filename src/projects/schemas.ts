/** Projects on the wire. */

import { type Static, Type } from '@sinclair/typebox'
import { idSchema, label, nullable, openObject, timeSchema } from '../endpoint/schemas.ts'
import { slugPattern } from './slug/slug.ts'

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
        description:
          'The value of CNAME records of custom domains that lead to the project. Null if hosting is off (`serve --platform-domain`).',
      }),
    ),
    url: nullable(
      Type.String({
        format: 'uri',
        maxLength: 300,
        description: 'The address of the website. Null if hosting is off (`serve --platform-domain`).',
      }),
    ),
    liveDeploy: nullable(
      Type.Object(
        { id: idSchema('Id of the deploy.'), createdAt: timeSchema('When the deploy was created.') },
        { description: 'The deploy that the website serves. Null before the first one.' },
      ),
    ),
    createdAt: timeSchema('When the project was created.'),
  },
  { title: 'Project', description: 'A project of an account.' },
)
export type Project = Static<typeof Project>

export const Projects = Type.Array(Project, { title: 'Projects', description: 'A page of projects.', maxItems: 100 })
