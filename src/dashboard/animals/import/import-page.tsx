/** The import of animals from a file. */

import { Page } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'

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
