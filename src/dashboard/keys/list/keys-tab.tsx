/** The accounts with their keys. */

import { Button, Switch } from '@mantine/core'
import { IconKey, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { Empty, Failure, LoadingRows } from '../../ui/feedback/states.tsx'
import { ChangePlan } from '../change/change-plan.tsx'
import { RevokeKey } from '../change/revoke-key.tsx'
import { RollKey } from '../change/roll-key.tsx'
import { accountsQuery, keysQuery } from '../queries.ts'
import { type Key, type KeyAction, stateOf } from '../words.ts'
import { AccountSection } from './account-section.tsx'

export function KeysTab() {
  const accounts = useQuery(accountsQuery)
  const keys = useQuery(keysQuery)
  const [hasOld, setOld] = useState(false)
  const [action, setAction] = useState<KeyAction>()
  const error = accounts.error ?? keys.error
  if (accounts.data === undefined || keys.data === undefined) {
    if (error === null) return <LoadingRows rows={8} label="Loading the keys…" />
    return <Failure error={error} onRetry={() => void Promise.all([accounts.refetch(), keys.refetch()])} />
  }

  const isShown = (key: Key) => hasOld || !['revoked', 'expired'].includes(stateOf(key))
  const sections = accounts.data.map((account) => {
    const own = keys.data.filter(({ accountId }) => accountId === account.id)
    return { account, own, shown: own.filter(isShown).toReversed() }
  })
  const old = keys.data.filter((key) => ['revoked', 'expired'].includes(stateOf(key))).length
  const close = () => setAction(undefined)

  return (
    <>
      {keys.data.length === 0 && (
        <Empty
          icon={<IconKey size={28} />}
          title="No keys yet"
          text="A key lets a program use your store: your website, a partner, a script. Each can do only what you allow."
          actions={
            <Button component={Link} href="/keys?create=1" leftSection={<IconPlus size={16} />}>
              Create key
            </Button>
          }
        />
      )}
      {old > 0 && (
        <Switch
          label="Show revoked and expired keys"
          checked={hasOld}
          onChange={({ currentTarget }) => setOld(currentTarget.checked)}
        />
      )}
      {sections.map(({ account, own, shown }) => (
        <AccountSection
          key={account.id}
          account={account}
          keys={shown}
          hasOld={own.length > shown.length}
          onAction={setAction}
        />
      ))}
      <RollKey target={action?.kind === 'roll' ? action.key : undefined} onClose={close} />
      <RevokeKey
        target={action?.kind === 'revoke' ? action.key : undefined}
        accountName={action?.account.name ?? ''}
        onClose={close}
      />
      <ChangePlan target={action?.kind === 'plan' ? action.account : undefined} onClose={close} />
    </>
  )
}
