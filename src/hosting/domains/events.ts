/** The events of domains and of their certificates. */

import { type Static, Type } from '@sinclair/typebox'
import { type EventDeclarations, event } from '../../access/events/declare.ts'
import type { EventType } from '../../access/events/rules.ts'
import { Certificate } from '../projects/schemas.ts'
import type { DomainEventType } from './history.ts'
import { Domain } from './schemas.ts'

const { projectId, hostname, state, dns } = Domain.properties

/** A domain as events show it. The history of the domain has the reasons for its state. */
export const DomainStatus = Type.Object(
  {
    projectId,
    hostname,
    state,
    dns: Type.Pick(dns, ['status']),
    certificate: Type.Pick(Certificate, ['status', 'expiresAt']),
  },
  {
    title: 'DomainStatus',
    description: 'The state of a domain.',
    examples: [
      {
        projectId: 1,
        hostname: 'www.shop.example',
        state: 'active',
        dns: { status: 'verified' },
        certificate: { status: 'active', expiresAt: '2027-02-18T10:00:00.000Z' },
      },
    ],
  },
)
export type DomainStatus = Static<typeof DomainStatus>

export const domainEvents = {
  'domain.added': event(DomainStatus, 'A domain was added to a project.'),
  'domain.verified': event(DomainStatus, 'The records of a domain lead here, and it is served.'),
  'domain.failed': event(
    DomainStatus,
    'The records of a domain are missing or wrong, or another project has the name: it is not served.',
  ),
  'domain.drifted': event(DomainStatus, 'The records of a domain are no longer right. It is still served.'),
  'domain.recovered': event(DomainStatus, 'The records of a domain are right again.'),
  'domain.removed': event(DomainStatus, 'A domain was removed, also with its project.'),
  'certificate.issued': event(DomainStatus, 'A domain has its first certificate.'),
  'certificate.renewed': event(DomainStatus, 'The certificate of a domain was renewed.'),
  'certificate.failed': event(
    DomainStatus,
    'No certificate could be ordered for a domain. The service tries again, and reports it again only for another reason.',
  ),
} satisfies EventDeclarations

/** The event of each entry in the history of a domain. Certificates say themselves which one it is. */
export const eventOfEntry: Readonly<Partial<Record<DomainEventType, EventType>>> = {
  added: 'domain.added',
  verified: 'domain.verified',
  failed: 'domain.failed',
  checks_ended: 'domain.failed',
  name_lost: 'domain.failed',
  name_taken: 'domain.failed',
  drifted: 'domain.drifted',
  recovered: 'domain.recovered',
  removed: 'domain.removed',
}
