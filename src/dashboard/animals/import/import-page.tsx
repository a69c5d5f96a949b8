/** The import of animals from a file. */

import { Empty } from '../../ui/feedback/states.tsx'
import { Page } from '../../ui/page.tsx'

export function ImportPage() {
  return (
    <Page title="Import animals" width="narrow">
      <Empty
        title="Import a file with the command"
        text="Run this on the computer that the store runs on: petstore pets import animals.csv"
      />
    </Page>
  )
}
