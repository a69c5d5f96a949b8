/**
 * Shows a new key once. Closing it unread would lose the key, so the dialog asks first, and stays open when its page is
 * left.
 */

import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useWindowEvent } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { Schemas } from '../api/client.ts'
import { isOnlyHere, onlyHereHint, programAddress, systemQuery } from '../api/system.ts'
import { CopyButton } from '../ui/copy.tsx'
import { formatMoment, isolated } from '../ui/format.ts'
import { closeLastingDialog, showLastingDialog } from '../ui/lasting-dialog.tsx'
import { scopeLabels } from './words.ts'
import './keys.css'

/** Shows a new key; also after its page has been left. */
export const showIssuedKey = (issued: Schemas['IssuedKey']): void =>
  showLastingDialog(<IssuedKey key={issued.id} issued={issued} onClose={closeLastingDialog} />)

/** The warning may begin below the visible part of the dialog. */
const scrollTo = (element: HTMLElement | null) => element?.scrollIntoView({ block: 'nearest' })

interface IssuedKeyProps {
  readonly issued: Schemas['IssuedKey']
  readonly onClose: () => void
}

function IssuedKey({ issued, onClose }: IssuedKeyProps) {
  const [isCopied, setCopied] = useState(false)
  const [isAsking, setAsking] = useState(false)
  const isUnread = issued.key !== null && !isCopied

  useWindowEvent('beforeunload', (event) => {
    if (isUnread) event.preventDefault()
  })

  function close(): void {
    if (isUnread && !isAsking) setAsking(true)
    else onClose()
  }

  return (
    // It grows when the address is known, and when it asks: nothing may move that somebody is about to click.
    <Modal opened onClose={close} closeOnClickOutside={false} centered={false} title="Your new key" size="lg">
      <Stack>
        {issued.key === null ? (
          <p className="issued-note">
            The key was created, but the connection broke before it could be shown, and it cannot be shown again. Choose
            “Replace key” in the menu of “{isolated(issued.name)}” to get another one.
          </p>
        ) : (
          <Secret issued={issued} secret={issued.key} onCopied={() => setCopied(true)} />
        )}
        {isAsking && isUnread && (
          <div ref={scrollTo} className="issued-warning" role="alert">
            <Text fw={600}>You have not copied the key.</Text>
            <Text>
              It cannot be shown again. Copy it, or close anyway if you have written it down. A lost key can be
              replaced.
            </Text>
          </div>
        )}
        <Group className="form-buttons" justify="flex-end">
          <Button variant={isUnread ? 'default' : 'filled'} onClick={close}>
            {isAsking && isUnread ? 'Close anyway' : 'Done'}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

interface SecretProps {
  readonly issued: Schemas['IssuedKey']
  readonly secret: string
  readonly onCopied: () => void
}

function Secret({ issued, secret, onCopied }: SecretProps) {
  const key = useRef<HTMLElement>(null)
  const command = useRef<HTMLElement>(null)
  const path = issued.scopes.some((scope) => scope === 'pets:read' || scope === 'admin') ? 'pets' : 'keys/current'
  const curl = `curl -H 'Authorization: Bearer ${secret}' ${location.origin}/v1/${path}`
  return (
    <>
      <p className="issued-note">
        <strong>Copy it now: it is shown only once.</strong> Give it to {isolated(issued.name)} in a safe way, such as a
        password manager.
      </p>
      <div>
        <span className="issued-label">Key</span>
        <div className="issued-row">
          <code ref={key} className="issued-text">
            {secret}
          </code>
          <CopyButton text={secret} label="Copy key" source={key} onCopied={onCopied} variant="filled" data-autofocus />
        </div>
      </div>
      <Details issued={issued} />
      <details className="issued-details">
        <summary>Try the key in a terminal</summary>
        <div className="issued-row">
          <code ref={command} className="issued-text">
            {curl}
          </code>
          <CopyButton text={curl} label="Copy command" source={command} onCopied={onCopied} />
        </div>
      </details>
    </>
  )
}

/** The text for the user of the key, as soon as the address of the service is known. */
function Details({ issued }: Pick<SecretProps, 'issued'>) {
  const { data: system, isPending } = useQuery(systemQuery)
  const details = useRef<HTMLElement>(null)
  if (isPending) return
  const address = programAddress(system?.address, location.origin)
  const text = detailsOf(issued, address)
  return (
    <div>
      <span className="issued-label">Send this with it: whoever writes the program needs it</span>
      <div className="issued-row">
        <code ref={details} className="issued-text issued-lines">
          {text}
        </code>
        <CopyButton text={text} label="Copy details" source={details} />
      </div>
      {isOnlyHere(address) && <p className="quiet">{onlyHereHint}</p>}
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
