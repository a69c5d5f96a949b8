/** The certificate of an address: how long it is valid, or why there is none and what happens next. */

import type { Schemas } from '../../api/client.ts'
import { formatDay, formatMoment } from '../../ui/format.ts'
import { Status, type Tone } from '../../ui/status.tsx'
import './certificate.css'

type Certificate = Schemas['Domain']['certificate']

const labels: Readonly<Record<Certificate['status'], readonly [label: string, tone: Tone]>> = {
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
  const [label, tone] = status === 'failed' && isValid(certificate) ? ['Not renewed', 'warn' as const] : labels[status]
  return (
    <div className="certificate">
      <p>
        <Status tone={tone}>{label}</Status>
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
