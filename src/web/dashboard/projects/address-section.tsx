/** Where the website is: its own address with the certificate, and whose project it is. */

import { useAccountNames } from '../api/accounts.ts'
import { CertificateState } from '../domains/certificate.tsx'
import { Section } from '../ui/page.tsx'
import type { Project } from './queries.ts'
import { firstSiteOf, type Site, useSite } from './site.ts'
import '../ui/facts.css'

export function AddressSection({ project }: { readonly project: Project }) {
  const { certificate, accountId } = project
  const first = firstSiteOf(project)
  const site = useSite(project)
  const accountName = useAccountNames([accountId])
  return (
    <Section title="Address">
      <dl className="facts">
        {site !== undefined && (
          <>
            <dt>Website</dt>
            <dd>
              <SiteLink site={site} />
            </dd>
          </>
        )}
        {first !== undefined && first.url !== site?.url && (
          <>
            <dt>First address</dt>
            <dd>
              {first.host} <span className="quiet">leads to {site?.host}</span>
            </dd>
          </>
        )}
        {certificate !== null && (
          <>
            <dt>{first?.url === site?.url ? 'Certificate' : 'Its certificate'}</dt>
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
        <dd>{accountName(accountId)}</dd>
      </dl>
    </Section>
  )
}

/** A link once the website can be opened: until then, a browser would only show an error. */
function SiteLink({ site: { url, isOpen } }: { readonly site: Site }) {
  if (!isOpen) return url
  return (
    <a href={url} target="_blank" rel="noreferrer">
      {url}
      <span className="visually-hidden"> (opens in a new tab)</span>
    </a>
  )
}
