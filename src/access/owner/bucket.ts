/** What the dashboard needs of the bucket to which backups are copied. How they are copied is decided elsewhere. */

export interface BucketView {
  /** Null if nothing is copied. */
  readonly bucket: {
    /** `s3://BUCKET/PREFIX`. */
    readonly address: string
    readonly endpoint: string | null
    readonly region: string | null
    readonly accessKeyId: string
  } | null
  /** Whether options of the start name the bucket, or the recipients: then they cannot be changed here. */
  readonly isBucketGiven: boolean
  readonly areRecipientsGiven: boolean
  /** Those for whom copies are encrypted; empty if copies are not encrypted. */
  readonly recipients: readonly string[]
  /** The last attempt; null before the first one. RFC 3339. */
  readonly last: { readonly at: string; readonly name: string | null; readonly error: string | null } | null
}

export interface NewBucket {
  readonly address: string
  readonly endpoint?: string | undefined
  readonly region?: string | undefined
  readonly accessKeyId: string
  /** Without it, the one that is stored for the same bucket and key remains. */
  readonly secretAccessKey?: string | undefined
}

export interface OwnerBucket {
  /** Undefined if this store has no backups: it is in memory. */
  view(): BucketView | undefined
  /** Undefined turns copying off. `record` runs in a transaction. Throws `invalid_body`, `conflict`, `storage_unavailable`. */
  save(bucket: NewBucket | undefined, record: () => void): Promise<void>
  /** Writes, reads and deletes an object. Throws the reason as a `DashboardError`. */
  test(): Promise<{ readonly mayDelete: boolean }>
  /** Encrypts copies for a new key from now on. Returns its secret part, which is not kept. Throws like `save`. */
  createKeys(record: () => void): Promise<{ readonly identity: string; readonly recipient: string }>
}
