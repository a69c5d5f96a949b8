/** The JSON form of the web shop. */

import { Kind, type Static, Type, TypeRegistry } from '@sinclair/typebox'
import {
  faultOf,
  freeText,
  idSchema,
  label,
  nullable,
  openEnum,
  requestObject,
  stringEnum,
  timeSchema,
} from '../../api/schemas.ts'
import { isMailbox, mailboxRule } from '../../lib/mailbox.ts'
import { Photo } from '../../shop/photos/schemas.ts'
import {
  colorPattern,
  maximumLines,
  maximumTextLengths,
  shownChoices,
  websiteKinds,
  websiteLanguages,
} from './rules.ts'
import { maximumShown } from './shown.ts'

const { name: nameLength, tagline: taglineLength, page, lines, phone: phoneLength } = maximumTextLengths

const name = label('WebsiteName', nameLength, 'The name of the shop or shelter.', 'Paws & Co.')
const tagline = label('WebsiteTagline', taglineLength, 'A sentence below the name.', 'Healthy animals from our region')
const phone = label(
  'WebsitePhone',
  phoneLength,
  'The telephone number, for people and for the button.',
  '+49 30 123456',
)
const about = freeText('WebsiteAbout', page, 'The page about the shop or shelter, in Markdown.', 'Our shop is *small*.')
const imprint = freeText('WebsiteImprint', page, 'The legal notice, in Markdown.', 'Paws & Co., Main Street 1')
const privacy = freeText(
  'WebsitePrivacy',
  page,
  'The privacy policy, in Markdown. Without one, the page has a ready text: no cookies, no scripts, nothing from other hosts.',
  'We store nothing about you.',
)
const address = freeText('WebsiteAddress', lines, 'The postal address.', 'Main Street 1\n10115 Berlin', maximumLines)
const hours = freeText('WebsiteHours', lines, 'The opening hours.', 'Mon to Fri 10 to 18\nSat 10 to 14', maximumLines)
TypeRegistry.Set('Mailbox', (_, value) => typeof value === 'string' && isMailbox(value))
const email = Type.Unsafe<string>({
  [Kind]: 'Mailbox',
  [faultOf]: () => mailboxRule,
  type: 'string',
  maxLength: 254,
  pattern: '^[^\\s@<>\\x00-\\x1F]+@[^\\s@<>\\x00-\\x1F]+$',
  description: 'The e-mail address, which visitors see.',
  examples: ['hello@paws.example'],
})
const color = Type.String({
  minLength: 7,
  maxLength: 7,
  pattern: colorPattern,
  description: 'The color of buttons and links. It is made lighter or darker where it would not be readable.',
  examples: ['#0f6b57'],
})
const choices = {
  kind: { description: 'Chooses the words: a shop sells animals, a shelter looks for homes for them.' },
  language: { description: 'The language of the pages.' },
  shows: { description: 'Whether animals without a photo are shown.' },
}
const projectId = idSchema('The project whose addresses show the web shop.')

const content = {
  projectId: 1,
  kind: 'shop',
  name: 'Paws & Co.',
  tagline: 'Healthy animals from our region',
  about: 'Our shop is *small*.',
  imprint: null,
  privacy: null,
  address: 'Main Street 1\n10115 Berlin',
  phone: '+49 30 123456',
  email: 'hello@paws.example',
  hours: 'Mon to Fri 10 to 18\nSat 10 to 14',
  language: 'en',
  color: '#0f6b57',
  shows: 'all',
}

export const Website = Type.Object(
  {
    projectId,
    kind: openEnum(websiteKinds, choices.kind),
    name: name.stored,
    tagline: nullable(tagline.stored),
    about: nullable(about.stored),
    imprint: nullable(imprint.stored),
    privacy: nullable(privacy.stored),
    address: nullable(address.stored),
    phone: nullable(phone.stored),
    email: nullable(email),
    hours: nullable(hours.stored),
    language: openEnum(websiteLanguages, choices.language),
    color,
    shows: openEnum(shownChoices, choices.shows),
    logo: nullable(Photo),
    picture: nullable(Photo),
    url: nullable(
      Type.String({
        format: 'uri',
        maxLength: 300,
        description:
          'The address of the web shop: that of the primary domain while it works. Null if hosting is off (`serve --platform-domain`).',
      }),
    ),
    shown: Type.Integer({
      format: 'int32',
      minimum: 0,
      maximum: maximumShown,
      description: `The number of animals that it shows: those that are available or reserved, and published. At most the newest ${maximumShown.toLocaleString('en')}.`,
      examples: [42],
    }),
    updatedAt: timeSchema('When the web shop or one of its images was last changed.'),
  },
  {
    title: 'Website',
    description: 'The web shop of the store. Null is a text or an image that there is not.',
    examples: [
      {
        ...content,
        logo: null,
        picture: null,
        url: 'https://paws-co.stores.example',
        shown: 42,
        updatedAt: '2030-06-01T12:00:00.000Z',
      },
    ],
  },
)
export type Website = Static<typeof Website>

export const WebsiteChange = requestObject(
  {
    projectId: Type.Optional(projectId),
    kind: stringEnum(websiteKinds, choices.kind),
    name: name.given,
    tagline: Type.Optional(nullable(tagline.given)),
    about: Type.Optional(nullable(about.given)),
    imprint: Type.Optional(nullable(imprint.given)),
    privacy: Type.Optional(nullable(privacy.given)),
    address: Type.Optional(nullable(address.given)),
    phone: Type.Optional(nullable(phone.given)),
    email: Type.Optional(nullable(email)),
    hours: Type.Optional(nullable(hours.given)),
    language: stringEnum(websiteLanguages, choices.language),
    color: Type.Optional(color),
    shows: Type.Optional(stringEnum(shownChoices, choices.shows)),
  },
  {
    title: 'WebsiteChange',
    description:
      'The web shop to create, or the members to change: those that are left out are unchanged, and null removes a text.',
    examples: [{ kind: 'shop', name: 'Paws & Co.', language: 'en', phone: '+49 30 123456' }],
  },
  Website,
)
export type WebsiteChange = Static<typeof WebsiteChange>

export const WebsitePreview = Type.Object(
  {
    html: Type.String({
      maxLength: 1_000_000,
      pattern: '^<!doctype html>',
      description:
        'The front page. It refers to files below `/shop/` and `/photos/`, which the host of the API has too.',
      examples: ['<!doctype html><html lang="en">…</html>'],
    }),
  },
  { title: 'WebsitePreview', description: 'A page of a web shop that is not stored.' },
)

/** The data of an event. */
export const UpdatedWebsite = Type.Object(
  {
    projectId: nullable(projectId),
    changed: Type.Array(
      Type.String({ minLength: 1, maxLength: 40, pattern: '^[A-Za-z]+$', description: 'The name of a member.' }),
      { maxItems: 40, description: 'The members that have changed.', examples: [['name', 'logo']] },
    ),
    updatedAt: timeSchema('When the web shop was changed.'),
  },
  {
    title: 'UpdatedWebsite',
    description:
      'A change of the web shop. `projectId` is null if it was deleted. `GET /v1/store/website` has the rest.',
    examples: [{ projectId: 1, changed: ['name', 'logo'], updatedAt: '2030-06-01T12:00:00.000Z' }],
  },
)
