/** Says how to turn hosting on. */

import { Alert, Code } from '@mantine/core'
import { IconInfoCircle } from '@tabler/icons-react'

export function HostingOff() {
  return (
    <Alert role="note" color="blue" icon={<IconInfoCircle />} title="Hosting is off: this store serves no websites.">
      Point one of your domains, and all names below it, at the computer of the store. Then start the store with that
      domain:
      <Code block my="xs">
        petstore serve --platform-domain shop.example
      </Code>
      You can already create projects and upload their files. To try it out on that computer alone, you need no domain:
      use shop.localhost.
    </Alert>
  )
}
