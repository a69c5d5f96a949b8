/** The handlers of the endpoints of photos. */

import { mount } from '../../api/mount.ts'
import type { EndpointParts } from '../../api/route.ts'
import type { UploadTurns } from '../../api/upload-turns.ts'
import type { Clock } from '../../lib/clock.ts'
import type { ContentStore } from '../../lib/contents/store.ts'
import { addPhoto, assertRoom, changePhoto, deletePhoto, getPhoto, type PhotoStores } from './change.ts'
import { photoEndpoints } from './endpoints.ts'
import { type EncodePhoto, receivePhoto } from './receive.ts'
import { toPhoto } from './schemas.ts'
import type { PhotoRow } from './store.ts'

export const photoRoutes = (
  parts: PhotoStores & {
    readonly files: ContentStore
    readonly photoTurns: UploadTurns
    readonly encodePhoto: EncodePhoto
    readonly clock: Pick<Clock, 'now'>
    readonly endpointParts: EndpointParts
  },
) =>
  mount(
    photoEndpoints,
    {
      addPhoto({ params: { petId }, body, principal }) {
        assertRoom(parts, petId)
        return receivePhoto(parts, principal.accountId, body, (encoded) => {
          const photo = addPhoto(parts, { ...encoded, petId, createdAt: parts.clock.now() })
          return { body: toPhoto(photo), location: `/v1/pets/${petId}/photos/${photo.id}` }
        })
      },
      getPhoto: ({ params }) => toPhoto(getPhoto(parts, params)),
      updatePhoto: ({ params, body, assertPreconditions }) =>
        toPhoto(changePhoto(parts, params, body, parts.clock.now(), asPhoto(assertPreconditions))),
      deletePhoto: ({ params, assertPreconditions }) =>
        deletePhoto(parts, params, parts.clock.now(), asPhoto(assertPreconditions)),
    },
    parts.endpointParts,
  )

const asPhoto = (assertPreconditions: (subject: object) => void) => (photo: PhotoRow) =>
  assertPreconditions(toPhoto(photo))
