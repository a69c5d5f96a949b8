/** The dialogs that change a key or the plan of its account. */

import { Modal, NativeSelect, Text } from '@mantine/core'
import { useState } from 'react'
import { api, bodyOf, type Schemas } from '../api/client.ts'
import { Confirm, Form, useFields } from '../ui/form.tsx'
import { formatRelative, isolated } from '../ui/format.ts'
import { showDone } from '../ui/notices.tsx'
import { showIssuedKey } from './issued-key.tsx'
import { PlanFields } from './plan-fields.tsx'
import {
  type Account,
  isComplete,
  type Key,
  type KeyAction,
  type PlanSettings,
  planBody,
  plans,
  scopeLabels,
} from './words.ts'

interface ChangeKeyProps {
  /** Undefined while nothing is changed. */
  readonly action: KeyAction | undefined
  readonly onClose: () => void
}

export function ChangeKey({ action, onClose }: ChangeKeyProps) {
  const { kind, key, account } = action ?? {}
  return (
    <>
      <Modal opened={kind === 'roll'} onClose={onClose} title={`Replace the key “${isolated(key?.name ?? '')}”`}>
        {key !== undefined && <RollForm target={key} onClose={onClose} />}
      </Modal>
      <Modal opened={kind === 'plan'} onClose={onClose} title={`Plan of ${isolated(account?.name ?? '')}`}>
        {account !== undefined && <PlanForm account={account} onClose={onClose} />}
      </Modal>
      <Confirm
        opened={kind === 'revoke'}
        onClose={onClose}
        title={`Revoke the key “${isolated(key?.name ?? '')}”?`}
        action="Revoke key"
        cancel="Keep key"
        onConfirm={async () => {
          if (key !== undefined) await revoke(key)
        }}
      >
        {key !== undefined && account !== undefined && <Consequences target={key} account={account} />}
      </Confirm>
    </>
  )
}

async function revoke({ id, name }: Key): Promise<void> {
  await api.DELETE('/keys/{keyId}', { params: { path: { keyId: id } } })
  showDone(`The key “${isolated(name)}” is revoked.`)
}

function Consequences({ target, account }: { readonly target: Key; readonly account: Account }) {
  return (
    <>
      <p>
        It belongs to <strong>{isolated(account.name)}</strong> and was{' '}
        {target.lastUsedAt === null ? 'never used' : `last used ${formatRelative(target.lastUsedAt)}`}. Programs that
        use it lose access at once. This cannot be undone.
      </p>
      <p>It can:</p>
      <ul>
        {target.scopes.map((scope) => (
          <li key={scope}>{scopeLabels[scope]}</li>
        ))}
      </ul>
    </>
  )
}

const overlaps = [
  { value: '0', label: 'At once' },
  { value: '3600', label: 'In an hour' },
  { value: '86400', label: 'In a day' },
  { value: '604800', label: 'In 7 days' },
]

/** Replaces a key with a new one. The old one works for a while longer, so that nothing breaks. */
function RollForm({ target: { id, lastUsedAt }, onClose }: { readonly target: Key; readonly onClose: () => void }) {
  // Nothing depends on a key that was never used.
  const { values, of } = useFields({ overlap: lastUsedAt === null ? '0' : '86400' })

  async function roll(isShown: () => boolean): Promise<void> {
    const body = { overlapSeconds: Number(values.overlap) }
    showIssuedKey(await bodyOf(api.POST('/keys/{keyId}/roll', { params: { path: { keyId: id } }, body })))
    if (isShown()) onClose()
  }

  return (
    <Form onSubmit={roll} action="Replace key" onCancel={onClose}>
      <Text>
        For a key that was lost, or that others may have seen. You get a new key with the same permissions. The manual
        calls this “rolling” the key.
      </Text>
      <NativeSelect
        {...of('overlap')}
        label="The old key stops working"
        description={
          lastUsedAt === null
            ? 'The old key was never used: nothing depends on it.'
            : 'Replace the old key with the new one before then.'
        }
        data={overlaps}
        data-autofocus
      />
    </Form>
  )
}

function PlanForm({ account, onClose }: { readonly account: Account; readonly onClose: () => void }) {
  const [settings, setSettings] = useState<PlanSettings>(account)
  const [isChecked, setChecked] = useState(false)

  async function save(isShown: () => boolean): Promise<void> {
    setChecked(true)
    if (!isComplete(settings)) return
    const body = planBody(settings) as Schemas['AccountChange']
    await api.PATCH('/accounts/{accountId}', { params: { path: { accountId: account.id } }, body })
    showDone(`${isolated(account.name)} is now on the ${plans[settings.plan].label} plan. Its limits apply at once.`)
    if (isShown()) onClose()
  }

  return (
    <Form onSubmit={save} action="Change plan" onCancel={onClose}>
      <PlanFields value={settings} onChange={setSettings} isChecked={isChecked} isFirst />
    </Form>
  )
}
