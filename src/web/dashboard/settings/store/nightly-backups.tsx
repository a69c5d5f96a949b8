/** Says that backups are not made by themselves, and how to make one every night. */

import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { systemQuery } from '../../api/system.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { nightlyBackups } from './commands.ts'

export function NightlyBackups() {
  const { data: system } = useQuery(systemQuery)
  const line = useRef<HTMLElement>(null)
  // A store in memory is gone when it stops.
  if (system === undefined || system.folder === null) return null
  const text = nightlyBackups(system)
  return (
    <div className="nightly-backups">
      The store does not make backups automatically: press “Back up now” from time to time, or let its computer do it.
      <details>
        <summary>Make a backup every night</summary>
        <p>
          Send this line to the person who installed the store. It belongs in the crontab of the store’s computer. It
          makes a backup at 3:15 every night and deletes backups that are older than two weeks.
        </p>
        <code ref={line} className="command">
          {text}
        </code>
        <CopyButton text={text} label="Copy line" source={line} size="xs" />
      </details>
    </div>
  )
}
