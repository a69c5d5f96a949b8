/** The endpoints of the web shop. */

import { created, endpoint, json, performed, removed, resource, updated } from '../../api/endpoint.ts'
import { choiceParameter } from '../../api/parameters.ts'
import { photoUpload } from '../../shop/photos/endpoints.ts'
import { websiteImages } from './rules.ts'
import { Website, WebsiteChange, WebsitePreview } from './schemas.ts'

const common = { tag: 'store', scope: 'admin', stability: 'beta' } as const

/** `url` changes with the domains, and `shown` with the animals. */
const untagged = ['url', 'shown']

const params = { image: choiceParameter(websiteImages, 'The logo beside the name, or the picture of the front page.') }

export const websiteEndpoints = {
  getWebsite: endpoint({
    ...common,
    method: 'GET',
    path: '/store/website',
    summary: 'Fetch the web shop',
    description: 'Returns the web shop of the store. The ETag does not cover `url` and `shown`.',
    success: resource(Website, { description: 'The web shop.', untagged }),
    errors: ['not_found'],
  }),
  putWebsite: endpoint({
    ...common,
    method: 'PUT',
    path: '/store/website',
    summary: 'Create or change the web shop',
    description:
      'Creates the web shop of the store, or changes it. The members that are left out are unchanged.\n\nWithout `projectId`, a new web shop gets a new project; another project has to belong to the account of the store. The web shop is at all addresses of the project. It responds where the live deploy of the project has no file, and domains can be added without a deploy.',
    body: json(WebsiteChange),
    success: updated(Website, { description: 'The web shop as it is now.', untagged }),
    errors: ['conflict', 'not_found'],
  }),
  deleteWebsite: endpoint({
    ...common,
    method: 'DELETE',
    path: '/store/website',
    summary: 'Delete the web shop',
    description:
      'Deletes the web shop with its images. Its project and domains remain, and respond with 404 where they have no deploy.',
    success: removed({ description: 'The web shop is deleted.' }),
    errors: ['not_found'],
  }),
  setWebsiteImage: endpoint({
    ...common,
    method: 'POST',
    path: '/store/website/{image}',
    params,
    summary: 'Set an image of the web shop',
    description: 'Replaces the image. It is encoded like a photo of an animal, with the same limits.',
    body: photoUpload,
    success: created(Website, { description: 'The web shop with the image.', untagged }),
    errors: ['too_busy'],
  }),
  deleteWebsiteImage: endpoint({
    ...common,
    method: 'DELETE',
    path: '/store/website/{image}',
    params,
    summary: 'Delete an image of the web shop',
    description: 'Deletes the image. Its addresses stop working at once.',
    success: removed({ description: 'The image is deleted.' }),
  }),
  previewWebsite: endpoint({
    ...common,
    method: 'POST',
    path: '/store/website/preview',
    summary: 'Preview the web shop',
    description:
      'Returns the front page as it would be after this change, with the animals of the store. Stores nothing.',
    body: json(WebsiteChange),
    success: performed(WebsitePreview, { description: 'The page.', isUnconditional: true, inSteps: true }),
  }),
}
