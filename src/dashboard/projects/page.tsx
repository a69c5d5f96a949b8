/** Projects. */

import { Page } from '../ui/page.tsx'

export function ProjectsPage() {
  return <Page title="Projects">…</Page>
}
