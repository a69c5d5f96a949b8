/** Creates, changes and deletes the web shop and its images, and writes the event. Called in a transaction. */

import { type StoreAccountStores, storeAccount } from '../../access/accounts/store-account.ts'
import type { AuditContext, AuditStore } from '../../access/audit/store.ts'
import type { EventWriter } from '../../access/events/log.ts'
import { changedMembers } from '../../access/events/rules.ts'
import { AppError } from '../../lib/error.ts'
import { storedText } from '../../lib/text.ts'
import type { NewPhoto, PhotoStore } from '../../shop/photos/store.ts'
import { createProject } from '../projects/change.ts'
import type { ProjectStore } from '../projects/store.ts'
import type { ProjectView } from '../projects/view.ts'
import { defaultColor, imagePetIds, type WebsiteContent, type WebsiteImage } from './rules.ts'
import type { WebsiteChange } from './schemas.ts'
import type { WebsiteRow, WebsiteStore } from './store.ts'

export interface WebsiteStores extends StoreAccountStores {
  readonly websites: WebsiteStore
  readonly projects: ProjectStore
  readonly photos: Pick<PhotoStore, 'ofPet' | 'add' | 'remove'>
  readonly events: EventWriter
  readonly audit: AuditStore
}

/** Throws `not_found` while there is no web shop. */
export function getWebsite({ websites }: Pick<WebsiteStores, 'websites'>): WebsiteRow {
  const row = websites.find()
  if (!row) throw new AppError('not_found', 'There is no web shop yet: create it with PUT /v1/store/website.')
  return row
}

const empty = {
  tagline: null,
  about: null,
  imprint: null,
  privacy: null,
  address: null,
  phone: null,
  email: null,
  hours: null,
  color: defaultColor,
  shows: 'all',
} as const

/** A web shop with the members of a change, as they are stored; `before` is the stored one. */
export function changedContent(
  before: WebsiteContent | undefined,
  { projectId: _, ...change }: WebsiteChange,
): WebsiteContent {
  const given = Object.entries(change).flatMap(([member, value]) => {
    if (value === undefined) return []
    return [[member, value === null ? null : storedText(value) || null]]
  })
  const { kind, name, language } = change
  const content: WebsiteContent = { ...empty, kind, name, language, ...before, ...Object.fromEntries(given) }
  return { ...content, color: content.color.toLowerCase() }
}

/**
 * Creates the web shop or changes it; a new one without a project gets a new project. Throws `not_found` for a project
 * that there is not, and `conflict` for one of another account and where there can't be another project.
 */
export function putWebsite(
  stores: WebsiteStores,
  toProject: ProjectView,
  change: WebsiteChange,
  context: AuditContext,
): WebsiteRow {
  const { websites, projects, events } = stores
  const before = websites.find()
  const content = changedContent(before, change)
  const account = storeAccount(stores, context)
  let projectId = change.projectId ?? before?.projectId
  if (projectId === undefined) {
    const project = createProject(stores, { accountId: account.id, name: content.name }, context)
    events.write('project.created', account.id, toProject(project))
    projectId = project.id
  } else if (projectId !== before?.projectId) {
    const project = projects.find(projectId)
    if (!project) throw new AppError('not_found', `There is no project ${projectId}.`)
    if (project.accountId !== account.id) {
      throw new AppError(
        'conflict',
        `Project ${projectId} does not belong to the account of the store (${account.id}).`,
      )
    }
  }
  const row = { ...content, projectId }
  const changed = before ? changedMembers(before, { ...before, ...row }) : row
  if (changed === undefined) return getWebsite(stores)
  websites.put({ ...row, updatedAt: context.nowMs })
  const stored = getWebsite(stores)
  record(stores, before ? 'website.changed' : 'website.created', stored, Object.keys(changed), context)
  return stored
}

/** Deletes the web shop and its images. Throws `not_found`. */
export function deleteWebsite(stores: WebsiteStores, context: AuditContext): void {
  const row = getWebsite(stores)
  for (const petId of Object.values(imagePetIds)) removePhotos(stores, petId)
  stores.websites.remove()
  record(stores, 'website.deleted', row, ['projectId'], context)
}

/** Sets an image, or removes it if `photo` is undefined. Throws `not_found`. */
export function setImage(
  stores: WebsiteStores,
  image: WebsiteImage,
  photo: Pick<NewPhoto, 'width' | 'height' | 'files'> | undefined,
  context: AuditContext,
): WebsiteRow {
  const { websites, photos } = stores
  const row = getWebsite(stores)
  const petId = imagePetIds[image]
  const hadPhoto = removePhotos(stores, petId)
  if (photo) photos.add({ ...photo, petId, createdAt: context.nowMs })
  else if (!hadPhoto) throw new AppError('not_found', `The web shop has no ${image}.`)
  websites.touch(context.nowMs)
  record(stores, 'website.changed', row, [image], context)
  return getWebsite(stores)
}

function removePhotos({ photos }: WebsiteStores, petId: number): boolean {
  const found = photos.ofPet(petId)
  for (const photo of found) photos.remove(photo)
  return found.length > 0
}

function record(
  stores: WebsiteStores,
  action: `website.${'created' | 'changed' | 'deleted'}`,
  { projectId }: WebsiteRow,
  changed: readonly string[],
  context: AuditContext,
): void {
  const { id: accountId } = storeAccount(stores, context)
  stores.audit.add(context, { action, accountId, details: { projectId, changed } })
  stores.events.write('website.updated', accountId, {
    projectId: action === 'website.deleted' ? null : projectId,
    changed,
    updatedAt: new Date(context.nowMs).toISOString(),
  })
}
