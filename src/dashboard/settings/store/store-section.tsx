/** What this store is: its environment, version and address. */

import { useSession } from '../../session/use-session.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { Section } from '../../ui/page.tsx'
import '../../ui/facts.css'

export function StoreSection() {
  const { environment, version } = useSession()
  const address = `${location.origin}/v1`
  return (
    <Section title="Store">
      <dl className="facts">
        <dt>Environment</dt>
        <dd>{environment === 'staging' ? 'Staging, to try things out' : 'Production'}</dd>
        <dt>Version</dt>
        <dd>{version}</dd>
        <dt>Address of the API</dt>
        <dd>
          {address} <CopyButton text={address} label="Copy address" size="compact-xs" />
        </dd>
      </dl>
    </Section>
  )
}
