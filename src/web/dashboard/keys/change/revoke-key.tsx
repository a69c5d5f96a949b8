/** Ends a key at once, after a question that says whom it affects. */

import { api } from '../../api/client.ts'
import { Confirm } from '../../ui/feedback/confirm.tsx'
import { showDone } from '../../ui/feedback/notices.ts'
import { formatRelative, isolated } from '../../ui/format.ts'
import { refreshKeys } from '../queries.ts'
import { type Key, scopeLabels } from '../words.ts'

interface RevokeKeyProps {
  readonly target: Key | undefined
  readonly accountName: string
  readonly onClose: () => void
}

export function RevokeKey({ target, accountName, onClose }: RevokeKeyProps) {
  async function revoke(): Promise<void> {
    if (target === undefined) return
    await api.DELETE('/keys/{keyId}', { params: { path: { keyId: target.id } } })
    showDone(`The key “${isolated(target.name)}” is revoked.`)
    await refreshKeys()
  }
  return (
    <Confirm
      opened={target !== undefined}
      onClose={onClose}
      title={`Revoke the key “${isolated(target?.name ?? '')}”?`}
      action="Revoke key"
      cancel="Keep key"
      onConfirm={revoke}
    >
      {target !== undefined && (
        <>
          <p>
            It belongs to <strong>{isolated(accountName)}</strong> and was{' '}
            {target.lastUsedAt === null ? 'never used' : `last used ${formatRelative(target.lastUsedAt)}`}. Whatever
            uses it stops working at once. This cannot be undone.
          </p>
          <p>It can:</p>
          <ul>
            {target.scopes.map((scope) => (
              <li key={scope}>{scopeLabels[scope]}</li>
            ))}
          </ul>
        </>
      )}
    </Confirm>
  )
}
