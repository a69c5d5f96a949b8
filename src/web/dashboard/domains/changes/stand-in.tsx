/** Says where the website opens while its main address is not live, and offers to change that. */

import { showDone } from '../../ui/feedback/notices.ts'
import { changeDomain, type Domain } from '../queries.ts'
import { standInOf } from '../words.ts'
import { Offer } from './offer.tsx'

export function StandIn({ domains }: { readonly domains: readonly Domain[] }) {
  const found = standInOf(domains)
  if (found === undefined) return null
  const { main, live } = found

  async function makeMain(): Promise<void> {
    await changeDomain(live, { role: 'primary' })
    showDone(`${live.unicodeHostname} is the main address now.`)
  }

  return (
    <Offer label="Make it the main address" onAccept={makeMain}>
      The main address {main.unicodeHostname} is not live yet. Until it is, visitors see the website at{' '}
      {live.unicodeHostname}.
    </Offer>
  )
}
