/** JSON schemas of photos in requests and responses. */

import { type Static, Type } from '@sinclair/typebox'
import { idSchema, label, nullable, requestObject } from '../../api/schemas.ts'
import type { PhotoRow } from './store.ts'

/** The most photos of an animal. */
export const maximumPhotos = 12

const alt = label(
  'AlternativeText',
  200,
  'What the photo shows, for people who cannot see it.',
  'A red tabby cat on a window sill',
)

const pixels = (side: string) =>
  Type.Integer({
    format: 'int32',
    minimum: 1,
    maximum: 1_920,
    description: `The ${side} of the large file in pixels.`,
    examples: [1_440],
  })

const address = (extension: 'jpg' | 'webp', what: string) =>
  Type.String({
    minLength: 76,
    maxLength: 77,
    pattern: `^/photos/[0-9a-f]{64}\\.${extension}$`,
    description: `The address of ${what}, on the host of the API and on the shop's own websites. It needs no key.`,
    examples: [`/photos/${'9f'.repeat(32)}.${extension}`],
  })

export const photoExample = {
  id: 7,
  alt: 'A red tabby cat on a window sill',
  width: 1_440,
  height: 1_440,
  large: `/photos/${'9f'.repeat(32)}.jpg`,
  medium: `/photos/${'3c'.repeat(32)}.webp`,
  small: `/photos/${'e1'.repeat(32)}.webp`,
}

export const Photo = Type.Object(
  {
    id: idSchema('Unique identifier, assigned by the service.'),
    alt: nullable(alt.stored),
    width: pixels('width'),
    height: pixels('height'),
    large: address('jpg', 'a JPEG of at most 1,920 pixels'),
    medium: address('webp', 'a WebP of at most 800 pixels'),
    small: address('webp', 'a WebP of at most 400 pixels'),
  },
  {
    title: 'Photo',
    description: 'A photo of an animal.',
    examples: [photoExample],
  },
)
export type Photo = Static<typeof Photo>

export const PhotoChange = requestObject(
  {
    alt: Type.Optional(nullable(alt.given)),
    position: Type.Optional(
      Type.Integer({
        format: 'int32',
        minimum: 1,
        maximum: maximumPhotos,
        description: 'The place among the photos of the animal, from 1. One behind the last becomes the last.',
        examples: [1],
      }),
    ),
  },
  {
    title: 'PhotoChange',
    description: 'The members to change. The others are unchanged.',
    examples: [{ position: 1 }],
  },
)
export type PhotoChange = Static<typeof PhotoChange>

/** A photo on the wire. */
export function toPhoto({ id, alt, width, height, large, medium, small }: PhotoRow): Photo {
  return {
    id,
    alt,
    width,
    height,
    large: `/photos/${large.toHex()}.jpg`,
    medium: `/photos/${medium.toHex()}.webp`,
    small: `/photos/${small.toHex()}.webp`,
  }
}
