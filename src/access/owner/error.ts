/** The errors of the dashboard's own routes that the API does not have. */

export const dashboardStatusOf = {
  /** There is no session: the browser has no cookie, or its session has ended. */
  signed_out: 401,
  wrong_credentials: 401,
  /** The current password, which confirms a change, is wrong. The session continues. */
  wrong_password: 403,
  cross_site_request: 403,
  https_required: 403,
  setup_link_invalid: 403,
  /** Somebody signs in before there is an owner. */
  no_owner: 409,
  /** The store sends no mail: no server is set, or mail is on hold after a restore. */
  mail_off: 409,
  /** The mail server did not accept a test mail. */
  mail_failed: 502,
  /** The bucket did not accept a test object. */
  bucket_failed: 502,
  too_many_guesses: 429,
} as const
export type DashboardErrorCode = keyof typeof dashboardStatusOf

export interface DashboardErrorOptions {
  /** Whole seconds after which the same request may succeed. */
  readonly retryAfterSeconds?: number
  /** Further members of the error body. */
  readonly members?: Readonly<Record<string, unknown>>
}

/** An error whose message may be shown to the owner. */
export class DashboardError extends Error {
  override readonly name = 'DashboardError'
  readonly code: DashboardErrorCode
  readonly retryAfterSeconds: number | undefined
  readonly members: Readonly<Record<string, unknown>>

  constructor(code: DashboardErrorCode, message: string, options: DashboardErrorOptions = {}) {
    super(message)
    this.code = code
    this.retryAfterSeconds = options.retryAfterSeconds
    this.members = options.members ?? {}
  }
}
