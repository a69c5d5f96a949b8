/** The JSON form of projects. */

import { type Static, Type } from '@sinclair/typebox'
import { beta, idQuery, idSchema, label, nullable, openEnum, requestObject, timeSchema } from '../../api/schemas.ts'
import { slugPattern } from './slug.ts'

export const maximumNameLength = 100

const projectName = label('ProjectName', maximumNameLength, "The project's name.", 'Paws & Co.')

export const certificateStates = ['none', 'queued', 'issuing', 'active', 'renewing', 'failed', 'expired'] as const

/** The parameters of a preview are the members of a new project. */
export const previewParameters = {
  name: projectName.given,
  accountId: Type.Optional(
    idQuery('The account of the project; needs the scope `admin` unless it is the account of the key.'),
  ),
}

const optionalTime = (description: string) => nullable(timeSchema(description))

/** The certificate of a hostname, as projects and domains show it. */
export const Certificate = Type.Object(
  {
    status: openEnum(certificateStates, { title: 'CertificateState', description: 'The state of the certificate.' }),
    expiresAt: optionalTime('When the certificate expires.'),
    nextAttemptAt: optionalTime('When an order is tried again.'),
    rateLimitedUntil: optionalTime('Until when the certificate authority accepts no order.'),
    error: nullable(
      Type.String({
        maxLength: 10_000,
        pattern: '^[\\s\\S]*$',
        description: 'Why the last order failed.',
        examples: ['Timeout during connect'],
      }),
    ),
  },
  { description: 'The certificate for HTTPS.' },
)

export const certificateExample = {
  status: 'active',
  expiresAt: '2027-02-18T10:15:00.000Z',
  nextAttemptAt: null,
  rateLimitedUntil: null,
  error: null,
}

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
    hasWebshop: beta(
      Type.Boolean({
        description: 'Whether the web shop is at its addresses. It then counts as published without a deploy.',
      }),
    ),
    certificate: nullable({
      ...Certificate,
      description:
        'The certificate of `url`. It is ordered once the project is published. Null if hosting is off, if a proxy ends TLS, and if the wildcard certificate of the platform covers all projects.',
    }),
    createdAt: timeSchema('When the project was created.'),
  },
  {
    title: 'Project',
    description: 'A project of an account.',
    examples: [
      {
        id: 1,
        accountId: 2,
        name: 'Paws & Co.',
        slug: 'paws-co',
        cnameTarget: '9f86d081884c7d65.edge.stores.example',
        url: 'https://paws-co.stores.example',
        liveDeploy: { id: 5, createdAt: '2026-11-20T10:15:00.000Z' },
        hasWebshop: false,
        certificate: certificateExample,
        createdAt: '2026-11-20T10:00:00.000Z',
      },
    ],
  },
)
export type Project = Static<typeof Project>

export const NewProject = requestObject(
  {
    name: projectName.given,
    accountId: Type.Optional(
      idSchema('The account to create the project for; needs the scope `admin` unless it is the account of the key.'),
    ),
  },
  { title: 'NewProject', description: 'A project to create.', examples: [{ name: 'Paws & Co.' }] },
  Project,
)

export const ProjectChange = requestObject(
  { name: Type.Optional(projectName.given) },
  {
    title: 'ProjectChange',
    description: 'The members to change; the others are unchanged. A new name does not change the slug.',
    examples: [{ name: 'Paws & Claws' }],
  },
  Project,
)

export const ProjectPreview = Type.Object(
  {
    slug: Type.String({
      minLength: 1,
      maxLength: 63,
      pattern: slugPattern,
      description: 'The slug that the project would get.',
      examples: ['paws-co'],
    }),
    url: nullable(
      Type.String({
        format: 'uri',
        maxLength: 300,
        description: 'The address that its website would have. Null if hosting is off.',
      }),
    ),
  },
  { title: 'ProjectPreview', description: 'The address that a new project would get. Nothing is reserved.' },
)

export const Projects = Type.Array(Project, { title: 'Projects', description: 'A page of projects.', maxItems: 100 })
