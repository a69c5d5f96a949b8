/** Animals. */

import { Page } from '../ui/page.tsx'

export function AnimalsPage() {
  return <Page title="Animals">…</Page>
}
