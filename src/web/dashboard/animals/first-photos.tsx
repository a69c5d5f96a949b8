/** The first photos of animals, for rows of other records. One request fetches those of all rows. */

import { Avatar } from '@mantine/core'
import { IconPaw } from '@tabler/icons-react'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { api, bodyOf } from '../api/client.ts'

const mostIds = 100
let next: { readonly ids: Set<number>; readonly photos: Promise<ReadonlyMap<number, string>> } | undefined

/** The addresses of the photos that are asked for in the same moment. */
function photosWith(petId: number): Promise<ReadonlyMap<number, string>> {
  if (next === undefined || next.ids.size >= mostIds) {
    const ids = new Set<number>()
    next = { ids, photos: Promise.resolve().then(() => fetchPhotos(ids)) }
  }
  next.ids.add(petId)
  return next.photos
}

async function fetchPhotos(ids: ReadonlySet<number>): Promise<ReadonlyMap<number, string>> {
  if (next?.ids === ids) next = undefined
  const query = { ids: [...ids], limit: mostIds }
  const profiles = await bodyOf(api.GET('/pets/profiles', { params: { query } }))
  return new Map(profiles.flatMap(({ petId, photos: [first] }) => (first ? [[petId, first.small] as const] : [])))
}

const firstPhotoQuery = (petId: number) =>
  queryOptions({
    queryKey: ['profiles', 'first-photo', petId],
    queryFn: async () => (await photosWith(petId)).get(petId) ?? null,
    staleTime: 30_000,
    meta: { topics: ['profiles'] },
  })

/** The first photo of an animal, which may have none, or be deleted. The name of the animal stands beside it. */
export function FirstPhoto({ petId, size }: { readonly petId: number; readonly size: number }) {
  const { data = null } = useQuery(firstPhotoQuery(petId))
  return (
    <Avatar src={data} alt="" size={size} radius="md" imageProps={{ loading: 'lazy' }}>
      <IconPaw size={size / 2} aria-hidden="true" />
    </Avatar>
  )
}
