/** The certificate of an address: how long it is valid, or why there is none and what happens next. */

import { Group, Stack, Text } from '@mantine/core'
import type { Schemas } from '../api/client.ts'
import { formatDay, formatMoment } from '../ui/format.ts'
import { Quiet } from '../ui/small.ts'
import { Status, type StatusWords } from '../ui/status.tsx'

type Certificate = Schemas['Domain']['certificate']

const states: Readonly<Record<Certificate['status'], StatusWords>> = {
  none: ['Not needed yet', 'quiet'],
  queued: ['Queued', 'info'],
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
  const nextWords =
    rateLimitedUntil !== null
      ? `The certificate authority accepts the next order after ${formatMoment(rateLimitedUntil)}.`
      : nextAttemptAt !== null
        ? `The next attempt is at ${formatMoment(nextAttemptAt)}.`
        : undefined
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <Status of={status === 'failed' && isValid(certificate) ? ['Not renewed', 'warn'] : states[status]} />
        {expiresAt !== null && <Quiet>{`${isValid(certificate) ? 'until' : 'since'} ${formatDay(expiresAt)}`}</Quiet>}
      </Group>
      {error !== null && <Text c="var(--bad)">{error}</Text>}
      {nextWords !== undefined && <Quiet>{nextWords}</Quiet>}
    </Stack>
  )
}
