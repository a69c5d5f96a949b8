/** The password could be read on its way: instead of a form, the page says how to reach the store safely. */

import { Frame } from './frame.tsx'

interface UnsafeConnectionProps {
  readonly message: string
  readonly isStaging?: boolean
}

export function UnsafeConnection({ message, isStaging = false }: UnsafeConnectionProps) {
  return (
    <Frame title="This connection is not safe" isStaging={isStaging}>
      <p className="entrance-warning">{message}</p>
    </Frame>
  )
}
