/**
 * Makes stored files a deploy, and the deploy the live one of its project. The files are recorded in steps that nobody
 * sees; one transaction at the end makes the deploy appear and switches to it. If anything fails, nothing has changed.
 */

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AuditContext, AuditStore } from '../../access/audit/store.ts'
import { AppError } from '../../lib/error.ts'
import type { ProjectRow, ProjectStore } from '../projects/store.ts'
import type { FileOwner, FileRows } from './file-rows.ts'
import type { Manifest } from './manifest.ts'
import type { DeployRow, DeployStore } from './store.ts'

/** Besides the live deploy, how many that were live before it are kept for each project. */
export const keptDeploys = 10
/** Rows that are written in one transaction: some milliseconds. */
export const rowsPerStep = 200

/** Runs `work` in a durable transaction. */
export type Write = <T>(work: () => T) => Promise<T>

export interface DeployStores {
  readonly projects: Pick<ProjectStore, 'find'>
  readonly deploys: DeployStore
  readonly deployFiles: FileRows
  readonly audit: Pick<AuditStore, 'add'>
}

interface Publication {
  readonly projectId: number
  /** Its contents must be in the content store, and safe from sweeps until this is done. */
  readonly manifest: Manifest
  readonly context: AuditContext
  readonly write: Write
  /** Ends the work between two steps by throwing its reason. */
  readonly signal?: AbortSignal
}

/**
 * Publishes files. `commit` runs the last transaction, to whose result `publish` resolves. Throws `not_found` for a
 * project that is gone and `payload_too_large` if the account would use too much space.
 */
export async function publish<T>(
  stores: DeployStores,
  publication: Publication,
  commit: (change: () => DeployRow) => Promise<T>,
): Promise<T> {
  const { projectId, manifest, context, write, signal } = publication
  const bytes = manifest.reduce((sum, { size }) => sum + size, 0)
  const owner = await write((): FileOwner => {
    const { accountId } = findProject(stores, projectId)
    const { actor: createdBy, nowMs: createdAt } = context
    const fileCount = manifest.length
    const id = stores.deploys.begin({ projectId, accountId, createdAt, createdBy, fileCount, bytes })
    return { id, accountId }
  })
  try {
    for (let at = 0; at < manifest.length; at += rowsPerStep) {
      signal?.throwIfAborted()
      await write(() => stores.deployFiles.add(owner, manifest.slice(at, at + rowsPerStep)))
    }
    await deleteRemoved(stores, owner.accountId, write, signal)
    const superseded = await planSpace(stores, owner.accountId)
    signal?.throwIfAborted()
    return await commit(() => switchTo(stores, owner, projectId, superseded, context))
  } catch (error) {
    await discard(stores, owner, write)
    throw error
  }
}

/**
 * Deletes removed deploys of an account while it uses too much space. The job that deletes them otherwise would change
 * the rows that `planSpace` reads, between two of its steps.
 */
async function deleteRemoved(
  stores: Pick<DeployStores, 'deploys' | 'deployFiles'>,
  accountId: number,
  write: Write,
  signal: AbortSignal | undefined,
): Promise<void> {
  while (stores.deployFiles.bytesOf(accountId) > maximumAccountBytes) {
    const [id] = stores.deploys.removedOf(accountId)
    if (id === undefined) return
    signal?.throwIfAborted()
    await deleteDeploy(stores, { id, accountId }, write, signal)
  }
}

function findProject({ projects }: Pick<DeployStores, 'projects'>, projectId: number) {
  const project = projects.find(projectId)
  if (!project) throw new AppError('not_found', `There is no project ${projectId}.`)
  return project
}

function switchTo(
  stores: DeployStores,
  { id, accountId }: FileOwner,
  projectId: number,
  superseded: readonly number[],
  context: AuditContext,
): DeployRow {
  const { deploys, audit } = stores
  findProject(stores, projectId)
  if (!deploys.isPreparing(id)) {
    // The job that deletes old deploys took it for an abandoned one, after the clock had jumped ahead.
    const message = 'The deploy was interrupted, since the clock was changed. Nothing was changed; try again.'
    throw new AppError('storage_unavailable', message, { retryAfterSeconds: 1 })
  }
  // One of them may have been promoted meanwhile.
  const expendable = new Set(superseded.length === 0 ? [] : deploys.expendableOf(accountId))
  deploys.remove(superseded.filter((one) => expendable.has(one)))
  const deploy = deploys.goLive(id, context.nowMs, false)
  deploys.remove(deploys.earlierThan(projectId, 1 + keptDeploys))
  const { fileCount, bytes } = deploy
  audit.add(context, { action: 'deploy.created', accountId, details: { projectId, deployId: id, fileCount, bytes } })
  return deploy
}

/** Throws `not_found` for a deploy that the project does not have, or no longer. */
export function getDeploy(
  { deploys }: Pick<DeployStores, 'deploys'>,
  project: ProjectRow,
  deployId: number,
): DeployRow {
  const deploy = deploys.find(deployId)
  if (deploy?.projectId === project.id) return deploy
  throw new AppError('not_found', `Project ${project.id} has no deploy ${deployId}.`)
}

/**
 * Makes an earlier deploy of the project its live one again; the live one stays as it is. To be called in a
 * transaction.
 */
export function promote(
  { deploys, audit }: Pick<DeployStores, 'deploys' | 'audit'>,
  project: ProjectRow,
  deploy: DeployRow,
  context: AuditContext,
): DeployRow {
  const { id: deployId, accountId, projectId } = deploy
  if (project.liveDeployId === deployId) return deploy
  audit.add(context, {
    action: 'deploy.promoted',
    accountId,
    details: { projectId, deployId, previousDeployId: project.liveDeployId },
  })
  return deploys.goLive(deployId, context.nowMs, true)
}

/** Deletes a deploy that failed. What can't be deleted now is deleted by the job that deletes old deploys. */
async function discard({ deploys, deployFiles }: DeployStores, owner: FileOwner, write: Write): Promise<void> {
  try {
    await write(() => deploys.abandon(owner.id))
    if (deploys.find(owner.id)) return
    await deleteDeploy({ deploys, deployFiles }, owner, write)
  } catch {
    // The error that made the deploy fail says more.
  }
}

/** Deletes a removed deploy with its files, in steps. Ends early if `signal` is aborted. */
export async function deleteDeploy(
  { deploys, deployFiles }: Pick<DeployStores, 'deploys' | 'deployFiles'>,
  owner: FileOwner,
  write: Write,
  signal?: AbortSignal,
): Promise<void> {
  while (!signal?.aborted && (await write(() => deployFiles.removeSome(owner, rowsPerStep))));
  if (!signal?.aborted) await write(() => deploys.delete(owner.id))
}

/** The most bytes of distinct contents that the deploys of an account use. */
const maximumAccountBytes = 1024 * 1_048_576

interface SpaceStores {
  readonly deploys: Pick<DeployStore, 'expendableOf'>
  readonly deployFiles: Pick<FileRows, 'page' | 'bytesOf' | 'usesOf'>
}

/**
 * The deploys of an account to remove so that it uses at most `maximumAccountBytes`: of those that are not live and
 * were never promoted, the oldest ones. The account has no removed deploys: deleting them would change what this reads.
 * Changes nothing. Throws `payload_too_large` if even all of them are not enough.
 */
async function planSpace(stores: SpaceStores, accountId: number): Promise<number[]> {
  const { deploys, deployFiles } = stores
  let bytes = deployFiles.bytesOf(accountId)
  if (bytes <= maximumAccountBytes) return []
  /** How many uses of each content end with the deploys so far. */
  const ended = new Map<string, number>()

  async function subtract(deployId: number): Promise<void> {
    for (let after = '', isLast = false; !isLast; await nextTurn()) {
      const files = deployFiles.page(deployId, after, rowsPerStep)
      for (const { hash, size } of files) {
        const count = (ended.get(hash) ?? 0) + 1
        ended.set(hash, count)
        if (count === deployFiles.usesOf(accountId, hash)) bytes -= size
      }
      after = files.at(-1)?.path ?? ''
      isLast = files.length < rowsPerStep
    }
  }

  const superseded: number[] = []
  for (const id of deploys.expendableOf(accountId)) {
    if (bytes <= maximumAccountBytes) break
    await subtract(id)
    superseded.push(id)
  }
  if (bytes <= maximumAccountBytes) return superseded
  throw new AppError(
    'payload_too_large',
    `With this deploy, account ${accountId} would use ${bytes} bytes, and ${maximumAccountBytes} is the most: deploy smaller files, or delete a project. Nothing was changed.`,
  )
}
