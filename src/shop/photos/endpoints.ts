/** The endpoints of photos. A profile contains the photos of its animal. */

import { created, endpoint, mergePatch, removed, resource, updated, upload } from '../../api/endpoint.ts'
import { idParameter } from '../../api/parameters.ts'
import { uploadsInAll, uploadsOfAccount } from '../../api/upload-turns.ts'
import { maximumPhotos, Photo, PhotoChange } from './schemas.ts'

/** The largest upload in bytes. */
export const maximumPhotoBytes = 20 * 1_048_576

export const photoUpload = upload(['image/jpeg', 'image/png', 'image/webp'], maximumPhotoBytes)

const petId = idParameter('Id of the animal.')
const params = { petId, photoId: idParameter('Id of the photo.') }
const common = { tag: 'animals', stability: 'beta' } as const

export const photoEndpoints = {
  addPhoto: endpoint({
    ...common,
    method: 'POST',
    path: '/pets/{petId}/photos',
    params: { petId },
    summary: 'Add a photo',
    description: `Adds a JPEG, PNG or WebP image of at most 50 megapixels behind the other photos of the animal, which can have ${maximumPhotos}.\n\nThe image is encoded again: a JPEG of at most 1,920 pixels and WebP images of 800 and 400, turned upright and without metadata such as the place where it was taken. The original is not kept.\n\nAt most ${uploadsOfAccount} photos of an account and ${uploadsInAll} of all accounts are uploaded at the same time; one more is \`too_busy\`.`,
    scope: 'pets:write',
    body: photoUpload,
    success: created(Photo, { description: 'The photo.' }),
    errors: ['conflict', 'too_busy'],
  }),
  getPhoto: endpoint({
    ...common,
    method: 'GET',
    path: '/pets/{petId}/photos/{photoId}',
    params,
    summary: 'Fetch a photo',
    description: 'Returns the addresses of a photo. The profile of an animal has all of its photos.',
    scope: 'pets:read',
    success: resource(Photo, { description: 'The photo.' }),
  }),
  updatePhoto: endpoint({
    ...common,
    method: 'PATCH',
    path: '/pets/{petId}/photos/{photoId}',
    params,
    summary: 'Describe or move a photo',
    description: 'Changes the alternative text of a photo, or its position among the photos of the animal.',
    scope: 'pets:write',
    body: mergePatch(PhotoChange),
    success: updated(Photo, { description: 'The photo as it is now.' }),
  }),
  deletePhoto: endpoint({
    ...common,
    method: 'DELETE',
    path: '/pets/{petId}/photos/{photoId}',
    params,
    scope: 'pets:write',
    summary: 'Delete a photo',
    description: 'Deletes a photo. Its addresses stop working at once.',
    success: removed({ description: 'The photo is deleted.' }),
  }),
}
