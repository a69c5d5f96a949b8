/** What the dashboard needs of the schedule of backups. How backups are made is decided elsewhere. */

export interface BackupScheduleView {
  /** `HH:MM`, or `off`. */
  readonly at: string
  /** Such as `7d,4w,6m`. */
  readonly keep: string
  /** Whether options of the start say them: then they cannot be changed here. */
  readonly isAtGiven: boolean
  readonly isKeepGiven: boolean
  /** The zone of the machine, in which `at` is meant, such as `Europe/Berlin`. */
  readonly timeZone: string
  /** When the next backup is made; null if none is. RFC 3339, like all times here. */
  readonly nextAt: string | null
  /** The last run; null before the first one. */
  readonly last: {
    readonly at: string
    /** The name of the backup; null if none was made. */
    readonly name: string | null
    /** Why it failed; null if it did not. */
    readonly error: string | null
  } | null
}

export interface NewBackupSchedule {
  readonly at?: string | undefined
  readonly keep?: string | undefined
}

export interface OwnerBackups {
  /** Makes the daily backup now. Throws `conflict` while another is made or verified, and `storage_unavailable` with the reason. */
  makeNow(): Promise<{ readonly name: string; readonly bytes: number }>
  /** Undefined if this store has no schedule: it is in memory. */
  view(): BackupScheduleView | undefined
  /** Changes what is given. `record` runs in the transaction. Throws `invalid_body`, `conflict`, `storage_unavailable`. */
  save(settings: NewBackupSchedule, record: () => void): Promise<void>
}
