/** The endpoints of the settings of the store. */

import { endpoint, mergePatch, resource, updated } from '../../api/endpoint.ts'
import { StoreSettings, StoreSettingsChange } from './schemas.ts'

export const storeSettingsEndpoints = {
  getStoreSettings: endpoint({
    method: 'GET',
    path: '/store/settings',
    tag: 'store',
    summary: 'Fetch the settings of the store',
    description: 'Returns the settings of the store.',
    scope: 'pets:read',
    success: resource(StoreSettings, { description: 'The settings.', cachedUntil: ['settings'] }),
    stability: 'beta',
  }),
  updateStoreSettings: endpoint({
    method: 'PATCH',
    path: '/store/settings',
    tag: 'store',
    summary: 'Change the settings of the store',
    description:
      'Changes the settings that are sent. Another currency converts no price: the numbers stay, and each is in the smallest unit of the new currency.',
    scope: 'admin',
    body: mergePatch(StoreSettingsChange),
    success: updated(StoreSettings, { description: 'The settings as they are now.' }),
    stability: 'beta',
  }),
}
