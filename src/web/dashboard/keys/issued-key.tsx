/** Shows a new key once, with the details for the person who will use it. */

import { useQuery } from '@tanstack/react-query'
import type { Schemas } from '../api/client.ts'
import { isOnlyHere, onlyHereHint, programAddress, systemQuery } from '../api/system.ts'
import { formatMoment, isolated } from '../ui/format.ts'
import { closeLastingDialog, showLastingDialog } from '../ui/lasting-dialog.tsx'
import { CopyBox, SecretDialog } from '../ui/secret-dialog.tsx'
import { Quiet } from '../ui/small.ts'
import { scopeLabels } from './words.ts'

/** Shows a new key; also after its page has been left. */
export const showIssuedKey = (issued: Schemas['IssuedKey']): void =>
  showLastingDialog(
    <SecretDialog
      key={issued.id}
      title="Your new key"
      word="key"
      secret={issued.key}
      onClose={closeLastingDialog}
      lost={
        <>
          The key was created, but the connection broke before it could be shown, and it cannot be shown again. Choose
          “Replace key” in the menu of “{isolated(issued.name)}” to get another one.
        </>
      }
      note={<>Give it to {isolated(issued.name)} in a safe way, such as a password manager.</>}
    >
      {(onCopied) => (
        <>
          <Details issued={issued} />
          <Trial issued={issued} onCopied={onCopied} />
        </>
      )}
    </SecretDialog>,
  )

/** A command that tries the key. */
function Trial({ issued, onCopied }: { readonly issued: Schemas['IssuedKey']; readonly onCopied: () => void }) {
  const path = issued.scopes.some((scope) => scope === 'pets:read' || scope === 'admin') ? 'pets' : 'keys/current'
  const curl = `curl -H 'Authorization: Bearer ${issued.key}' ${location.origin}/v1/${path}`
  return (
    <details>
      <summary>Try the key in a terminal</summary>
      <CopyBox text={curl} label="Copy command" onCopied={onCopied} />
    </details>
  )
}

/** The text for the user of the key, as soon as the address of the service is known. */
function Details({ issued }: { readonly issued: Schemas['IssuedKey'] }) {
  const { data: system, isPending } = useQuery(systemQuery)
  if (isPending) return
  const address = programAddress(system?.address, location.origin)
  const text = detailsOf(issued, address)
  return (
    <div>
      <CopyBox
        title="Send these details with the key: the author of the program needs them"
        text={text}
        label="Copy details"
        isProse
      />
      {isOnlyHere(address) && <Quiet mt="xs">{onlyHereHint}</Quiet>}
    </div>
  )
}

/** The text for the person who will use a key, without the key itself. */
function detailsOf({ scopes, expiresAt }: Schemas['IssuedKey'], address: string): string {
  return [
    `Address: ${address}/v1`,
    `Manual: ${address}/docs`,
    `The key works ${expiresAt === null ? 'until it is revoked' : `until ${formatMoment(expiresAt)}`}.`,
    `It can: ${scopes.map((scope) => scopeLabels[scope].toLowerCase()).join('; ')}.`,
  ].join('\n')
}
