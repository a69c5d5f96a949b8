/** Where the website is: its own address with the certificate, and whose project it is. */

import { useAccountNames } from '../api/accounts.ts'
import { CertificateState } from '../domains/certificate.tsx'
import { Fact, Facts } from '../ui/facts.tsx'
import { Section } from '../ui/page.tsx'
import type { Project } from './queries.ts'
import { firstSiteOf, type Site, useSite } from './site.ts'

export function AddressSection({ project }: { readonly project: Project }) {
  const { certificate, accountId } = project
  const first = firstSiteOf(project)
  const site = useSite(project)
  const accountName = useAccountNames([accountId])
  return (
    <Section title="Address">
      <Facts>
        {site !== undefined && (
          <Fact label="Website">
            <SiteLink site={site} />
          </Fact>
        )}
        {first !== undefined && first.url !== site?.url && (
          <Fact label="First address">
            {first.host} <span className="quiet">leads to {site?.host}</span>
          </Fact>
        )}
        {certificate !== null && (
          <Fact label={first?.url === site?.url ? 'Certificate' : 'Its certificate'}>
            {certificate.status === 'none' ? (
              <span className="quiet">Ordered after the first deploy.</span>
            ) : (
              <CertificateState certificate={certificate} />
            )}
          </Fact>
        )}
        <Fact label="Account">{accountName(accountId)}</Fact>
      </Facts>
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
