/** The composition root: creates the parts of a running store and its jobs, and closes them in reverse order. */

import { keyJobs, saveUses } from '../access/keys/jobs.ts'
import { ownerJobs } from '../access/owner/jobs.ts'
import { liveSessionIds } from '../access/owner/sessions.ts'
import { failedFlush, lastFault } from '../database/faults/fault.ts'
import { storageJobs } from '../database/faults/readiness.ts'
import { type OpenDatabase, openDatabase } from '../database/open.ts'
import { deployJobs } from '../hosting/deploys/jobs.ts'
import type { Clock } from '../lib/clock.ts'
import { AppError } from '../lib/error.ts'
import type { Log } from '../lib/log.ts'
import { schedule } from '../lib/scheduler.ts'
import { createApi } from './api.ts'
import { type AppConfig, createParts } from './app-parts.ts'
import { removalJobs } from './removals.ts'

/**
 * How long the writes of a stop wait for another process's lock, all together, in milliseconds. `docker stop` kills a
 * process after ten seconds, and the listeners may need eight of them.
 */
const lastWaitsMs = 1_500

/** `database` is the one at the path of the configuration. Throws `storage_unavailable` if it can't be used. */
export function createApp(
  config: AppConfig,
  clock: Clock,
  log: Log,
  database: OpenDatabase = openDatabase(config.databasePath, 0),
) {
  const app = createParts(config, clock, log, database)
  app.savedLimiter.load()
  app.announcements.subscribe(['keys', 'accounts'], () => app.authenticator.invalidate())
  app.announcements.subscribe(['bans'], app.savedLimiter.loadBans)
  app.announcements.subscribe(['owner'], () => {
    app.dashboardTokens.keepSessions(liveSessionIds(app.owner, clock.now()))
    app.live.endSignedOut()
  })
  app.announcements.subscribe(['keys', 'bans', 'owner'], app.followers.endForbidden)
  const jobs = schedule(
    (config.isCommand === true
      ? []
      : [
          ...app.savedLimiter.jobs,
          ...keyJobs(app),
          ...removalJobs(app),
          ...app.domainHosting.jobs,
          ...app.hostingParts.jobs(app.domainHosting),
          ...deployJobs(app),
          ...ownerJobs(app),
          ...app.mail.jobs,
          ...app.backupSchedule.jobs,
          ...app.webhookDelivery.jobs,
          ...app.backupCopies.jobs,
          ...storageJobs({ ...app, database, databasePath: config.databasePath }),
        ]
    ).map(app.faults.guard),
    clock,
    log,
  )

  function endStreams(): void {
    app.live.close()
    app.followers.close()
  }

  app.files
    .removeAbandoned()
    .catch((error) => log.warn('the files of interrupted deploys could not be deleted', { error }))

  return {
    ...app,
    jobs,
    api: createApi(app),
    /**
     * Ends every event stream and opens no others. To be called before the listeners stop, which wait for open streams.
     */
    endStreams,
    /** To be called before the process exits without `close`. */
    detachIfReplaced: database.detachIfReplaced,
    /**
     * Waits for the jobs in progress, stores the state that is only in memory and closes the database. To be called
     * after the listener has stopped. Throws `storage_unavailable` if a flush has failed, if the database is damaged or
     * replaced, or if another process has replaced its log; everything is closed then.
     */
    async close(): Promise<void> {
      endStreams()
      app.writer.limitWaits(lastWaitsMs)
      app.exports.stop()
      // Before their processes are ended, so that a job does not take that for a failure.
      const jobsEnded = jobs.stop()
      await Promise.all([app.importTurns.stop(), app.photoTurns.stop(), app.subprocesses.stop()])
      await Promise.all([jobsEnded, app.webhookDelivery.close()])
      await Promise.all([app.deployTurns.stop(), app.files.close()])
      await Promise.all([app.domainHosting.close(), app.hostingParts.close()])
      const [uses] = await Promise.allSettled([saveUses(app), app.savedLimiter.saveLast()])
      if (uses.status === 'rejected')
        log.warn('the times at which keys were last used could not be stored', { error: uses.reason })
      await app.writeAheadLog.close()
      const fault = app.watch.blocked()
      database.close()
      if (fault === 'malformed' || fault === 'file_gone') throw new AppError('storage_unavailable', lastFault(fault))
      if (app.writeAheadLog.hasFailed()) throw new AppError('storage_unavailable', failedFlush)
    },
  }
}
