/** This store: its environment, version, address and data. */

import { useQuery } from '@tanstack/react-query'
import { isOnlyHere, onlyHereHint, programAddress, systemQuery } from '../api/system.ts'
import { CertificateState } from '../domains/certificate.tsx'
import { CopyButton } from '../ui/copy.tsx'
import { Fact, Facts } from '../ui/facts.tsx'
import { formatBytes } from '../ui/format.ts'
import { NewTabLink } from '../ui/new-tab-link.tsx'
import { Section } from '../ui/page.tsx'
import { Quiet } from '../ui/small.ts'
import { Loaded, LoadingRows } from '../ui/states.tsx'

/** The build puts the address of the text into the page. */
const licenses = document.querySelector<HTMLLinkElement>('link[rel="license"]')?.href

export function StoreSection() {
  const query = useQuery(systemQuery)
  return (
    <Section title="Store">
      <Loaded query={query} loading={<LoadingRows rows={6} />}>
        {({ environment, version, address, certificate, folder, bytes }) => (
          <Facts>
            <Fact label="Environment">
              {environment === 'staging' ? 'Staging, to try things out' : 'Production: your real store'}
            </Fact>
            <Fact label="Version">{version}</Fact>
            <Fact label="Address of the API">
              <Copyable text={`${programAddress(address, location.origin)}/v1`} label="Copy address" />
              {isOnlyHere(programAddress(address, location.origin)) && <Quiet>{onlyHereHint}</Quiet>}
            </Fact>
            {certificate !== null && (
              <Fact label="Certificate of the API">
                <CertificateState certificate={certificate} />
              </Fact>
            )}
            <Fact label="Data folder">
              {folder === null ? (
                'None: this store is kept in memory, and is lost when it stops'
              ) : (
                <Copyable text={folder} label="Copy folder" />
              )}
            </Fact>
            <Fact label="Size of the data">
              {formatBytes(bytes)}
              {folder !== null && (
                <Quiet>All files in the data folder: backups, websites, and temporary files, whose size varies.</Quiet>
              )}
            </Fact>
            {licenses !== undefined && (
              <Fact label="Licences">
                <NewTabLink href={licenses}>Third-party licences</NewTabLink>
              </Fact>
            )}
          </Facts>
        )}
      </Loaded>
    </Section>
  )
}

function Copyable({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <>
      {text} <CopyButton text={text} label={label} size="compact-xs" />
    </>
  )
}
