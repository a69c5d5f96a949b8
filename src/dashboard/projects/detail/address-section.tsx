/** Where the website is: its own address with the certificate, and whose project it is. */

import { useQuery } from '@tanstack/react-query'
import { accountsQuery } from '../../api/accounts.ts'
import { CertificateState } from '../../domains/progress/certificate.tsx'
import { Section } from '../../ui/page.tsx'
import type { Project } from '../queries.ts'
import '../../ui/facts.css'

export function AddressSection({ project: { url, certificate, accountId } }: { readonly project: Project }) {
  const { data: accounts = [] } = useQuery(accountsQuery)
  const account = accounts.find(({ id }) => id === accountId)
  return (
    <Section title="Address">
      <dl className="facts">
        {url !== null && (
          <>
            <dt>Website</dt>
            <dd>
              <a href={url} target="_blank" rel="noreferrer">
                {url}
                <span className="visually-hidden"> (opens in a new tab)</span>
              </a>
            </dd>
          </>
        )}
        {certificate !== null && (
          <>
            <dt>Certificate</dt>
            <dd>
              {certificate.status === 'none' ? (
                <span className="quiet">Ordered after the first deploy.</span>
              ) : (
                <CertificateState certificate={certificate} />
              )}
            </dd>
          </>
        )}
        <dt>Account</dt>
        <dd>{account?.name ?? `Account ${accountId}`}</dd>
      </dl>
    </Section>
  )
}
