/** Shows a new key once. Closing it unread would lose the key, so the dialog asks first. */

import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { CopyButton } from '../../ui/copy.tsx'
import './issued-key.css'

interface IssuedKeyProps {
  /** Undefined while there is none to show. */
  readonly issued: Schemas['IssuedKey'] | undefined
  readonly onClose: () => void
}

export function IssuedKey({ issued, onClose }: IssuedKeyProps) {
  const [isCopied, setCopied] = useState(false)
  const [isAsking, setAsking] = useState(false)
  const isUnread = issued !== undefined && issued.key !== null && !isCopied

  useEffect(() => {
    if (!isUnread) return
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [isUnread])

  function close(): void {
    if (isUnread && !isAsking) {
      setAsking(true)
      return
    }
    setCopied(false)
    setAsking(false)
    onClose()
  }

  return (
    <Modal opened={issued !== undefined} onClose={close} closeOnClickOutside={false} title="Your new key" size="lg">
      {issued !== undefined && (
        <Stack>
          {issued.key === null ? (
            <p className="issued-note">
              The key was created, but the connection broke before it could be shown, and it can not be shown again.
              Revoke “{issued.name}” and create another key.
            </p>
          ) : (
            <Secret issued={issued} secret={issued.key} onCopied={() => setCopied(true)} />
          )}
          {isAsking && (
            <div className="issued-warning" role="alert">
              <Text fw={600}>You have not copied the key.</Text>
              <Text>It can not be shown again. Copy it, or close anyway if you have written it down.</Text>
            </div>
          )}
          <Group justify="flex-end">
            <Button variant={isUnread ? 'default' : 'filled'} onClick={close}>
              {isAsking && isUnread ? 'Close anyway' : 'Done'}
            </Button>
          </Group>
        </Stack>
      )}
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
        <strong>Copy it now: it is shown only once.</strong> Give it to {issued.name} on a safe way, such as a password
        manager.
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
      <div>
        <span className="issued-label">To try it, paste this into a terminal</span>
        <div className="issued-row">
          <code ref={command} className="issued-text">
            {curl}
          </code>
          <CopyButton text={curl} label="Copy command" source={command} onCopied={onCopied} />
        </div>
      </div>
    </>
  )
}
