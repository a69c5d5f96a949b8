/** Says how to turn hosting on. */

import { IconInfoCircle } from '@tabler/icons-react'

export function HostingOff() {
  return (
    <div className="projects-note" role="note">
      <IconInfoCircle size={22} aria-hidden="true" />
      <div>
        <strong>This store serves no websites: hosting is off.</strong> Point a domain of yours and all names below it
        at the computer of the store, then start the store with that domain:
        <code className="command">petstore serve --platform-domain shop.example</code>
        You can already make projects and upload their files.
      </div>
    </div>
  )
}
