/** The certificate of an address: how long it is valid, or why there is none and what happens next. */

import type { Schemas } from '../api/client.ts'
import { formatDay, formatMoment } from '../ui/format.ts'
import { Status, type StatusWords } from '../ui/status.tsx'
import './domains.css'

type Certificate = Schemas['Domain']['certificate']

const states: Readonly<Record<Certificate['status'], StatusWords>> = {
  none: ['Not needed yet', 'quiet'],
  queued: ['Waiting for its turn', 'info'],
  issuing: ['Being issued', 'info'],
  active: ['Valid', 'good'],
  renewing: ['Valid, being renewed', 'good'],
  failed: ['Not issued', 'bad'],
  expired: ['Expired', 'bad'],
}

/** A certificate whose renewal failed is still valid. */
export const isValid = ({ status, expiresAt }: Certificate) =>
  expiresAt !== null && status !== 'expired' && Date.parse(expiresAt) > Date.now()

export function CertificateState({ certificate }: { readonly certificate: Certificate }) {
  const { status, expiresAt, nextAttemptAt, rateLimitedUntil, error } = certificate
  return (
    <div className="certificate">
      <p>
        <Status of={status === 'failed' && isValid(certificate) ? ['Not renewed', 'warn'] : states[status]} />
        {expiresAt !== null && (
          <span className="quiet">{`${isValid(certificate) ? 'until' : 'since'} ${formatDay(expiresAt)}`}</span>
        )}
      </p>
      {error !== null && <p className="certificate-error">{error}</p>}
      {rateLimitedUntil !== null ? (
        <p className="quiet">The authority accepts the next order after {formatMoment(rateLimitedUntil)}.</p>
      ) : (
        nextAttemptAt !== null && <p className="quiet">The next attempt is at {formatMoment(nextAttemptAt)}.</p>
      )}
    </div>
  )
}
