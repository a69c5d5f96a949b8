/** The domains of a project. */

import type { Schemas } from '../api/client.ts'
import { Empty } from '../ui/feedback/states.tsx'

export function DomainsTab({ project }: { readonly project: Schemas['Project'] }) {
  return (
    <Empty
      title="No domain yet"
      text={`Add a domain with the command: petstore domains add HOST --project ${project.slug}`}
    />
  )
}
