/** The handlers of the endpoints of the web shop. */

import { auditContextOf } from '../../access/audit/store.ts'
import { mount } from '../../api/mount.ts'
import type { EndpointParts } from '../../api/route.ts'
import type { Clock } from '../../lib/clock.ts'
import { type ReceiveParts, receivePhoto } from '../../shop/photos/receive.ts'
import { toPhoto } from '../../shop/photos/schemas.ts'
import { createProjectView, type ProjectViewParts } from '../projects/view.ts'
import { changedContent, deleteWebsite, getWebsite, putWebsite, setImage, type WebsiteStores } from './change.ts'
import { websiteEndpoints } from './endpoints.ts'
import type { Webshop } from './respond.ts'
import { imagePetIds, type WebsiteImage } from './rules.ts'
import type { Website } from './schemas.ts'
import type { WebsiteRow } from './store.ts'

export const websiteRoutes = (
  parts: WebsiteStores &
    ReceiveParts &
    Pick<ProjectViewParts, 'hosting' | 'deploys'> & {
      readonly webshop: Pick<Webshop, 'shownAt' | 'preview'>
      readonly domainHosting: Pick<ProjectViewParts, 'certificateOf'>
      readonly clock: Pick<Clock, 'now'>
      readonly endpointParts: EndpointParts
    },
) => {
  const { websites, photos, webshop, clock } = parts
  const toProject = createProjectView({ ...parts, certificateOf: parts.domainHosting.certificateOf })
  const imageOf = (image: WebsiteImage) => {
    const [photo] = photos.ofPet(imagePetIds[image])
    return photo ? toPhoto(photo) : null
  }
  const toWebsite = (row: WebsiteRow): Website => ({
    ...row,
    logo: imageOf('logo'),
    picture: imageOf('picture'),
    ...webshop.shownAt(row),
    updatedAt: new Date(row.updatedAt).toISOString(),
  })

  return mount(
    websiteEndpoints,
    {
      getWebsite: () => toWebsite(getWebsite(parts)),
      putWebsite({ body, principal, assertPreconditions }) {
        const before = websites.find()
        assertPreconditions(before && (() => toWebsite(before)))
        return toWebsite(putWebsite(parts, toProject, body, auditContextOf(principal, clock)))
      },
      deleteWebsite({ principal, assertPreconditions }) {
        const row = getWebsite(parts)
        assertPreconditions(() => toWebsite(row))
        deleteWebsite(parts, auditContextOf(principal, clock))
      },
      setWebsiteImage({ params: { image }, body, principal }) {
        getWebsite(parts)
        return receivePhoto(parts, principal.accountId, body, (photo) => ({
          body: toWebsite(setImage(parts, image, photo, auditContextOf(principal, clock))),
          location: '/v1/store/website',
        }))
      },
      deleteWebsiteImage({ params: { image }, principal, assertPreconditions }) {
        const row = getWebsite(parts)
        assertPreconditions(() => toWebsite(row))
        setImage(parts, image, undefined, auditContextOf(principal, clock))
      },
      previewWebsite({ body, once }) {
        return once(async (_, respond) =>
          respond({ html: await webshop.preview(changedContent(websites.find(), body)) }),
        )
      },
    },
    parts.endpointParts,
  )
}
