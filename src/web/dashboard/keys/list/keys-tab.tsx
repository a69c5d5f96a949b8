/** The accounts with their keys. */

import { Button, Switch } from '@mantine/core'
import { IconKey, IconPlus } from '@tabler/icons-react'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { type ReactNode, useCallback, useState } from 'react'
import { Link, useLocation, useSearchParams } from 'wouter'
import { accountQuery } from '../../api/accounts.ts'
import { idIn } from '../../ui/address.ts'
import { Empty, Failure, Loaded, LoadingRows } from '../../ui/feedback/states.tsx'
import { AccountField } from '../../ui/form/account-field.tsx'
import { ChangePlan } from '../change/change-plan.tsx'
import { RevokeKey } from '../change/revoke-key.tsx'
import { RollKey } from '../change/roll-key.tsx'
import { accountPagesQuery, keyQuery, usageRefreshMs } from '../queries.ts'
import type { KeyAction } from '../words.ts'
import '../../ui/toolbar.css'
import { AccountSection } from './account-section.tsx'

export function KeysTab() {
  const [parameters] = useSearchParams()
  const [hasOld, setOld] = useState(false)
  const [action, setAction] = useState<KeyAction>()
  const close = useCallback(() => setAction(undefined), [])
  const [keyId, accountId] = [idIn(parameters, 'key'), idIn(parameters, 'of')]
  return (
    <>
      <Switch
        label="Show revoked and expired keys"
        checked={hasOld}
        onChange={({ currentTarget }) => setOld(currentTarget.checked)}
      />
      {keyId > 0 ? (
        <AccountOfKey keyId={keyId} hasOld={hasOld} onAction={setAction} />
      ) : accountId > 0 ? (
        <OneAccount>
          <Account id={accountId} hasOld={hasOld} onAction={setAction} />
        </OneAccount>
      ) : (
        <Accounts hasOld={hasOld} onAction={setAction} />
      )}
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

interface ListProps {
  readonly hasOld: boolean
  readonly onAction: (action: KeyAction) => void
}

function Accounts({ hasOld, onAction }: ListProps) {
  const query = useInfiniteQuery(accountPagesQuery)
  const [, navigate] = useLocation()
  if (query.data === undefined) {
    if (query.error === null) return <LoadingRows rows={8} label="Loading the keys…" />
    return <Failure error={query.error} onRetry={() => void query.refetch()} />
  }
  const accounts = query.data.pages.flatMap(({ items }) => items)
  const hasKeys = query.hasNextPage || accounts.some(({ keyCount }) => keyCount > 0)
  return (
    <>
      {query.hasNextPage && (
        <div className="toolbar">
          <AccountField
            isUnlabelled
            none="All accounts"
            value={0}
            onChange={(id) => id !== undefined && navigate(`/keys?of=${id}`)}
          />
        </div>
      )}
      {!hasKeys && (
        <Empty
          icon={<IconKey size={28} />}
          title="No keys"
          text="A key lets a program use your store: your website, a partner, a script. Each can do only what you allow."
          actions={
            <Button component={Link} href="/keys?create=1" leftSection={<IconPlus size={16} />}>
              Create key
            </Button>
          }
        />
      )}
      {accounts.map((account) => (
        <AccountSection key={account.id} account={account} hasOld={hasOld} onAction={onAction} />
      ))}
      {query.hasNextPage && (
        <Button variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          Show more accounts
        </Button>
      )}
    </>
  )
}

/** Only the account of a key that something has led to. */
function AccountOfKey({ keyId, hasOld, onAction }: ListProps & { readonly keyId: number }) {
  const key = useQuery(keyQuery(keyId))
  return (
    <OneAccount>
      <Loaded query={key}>{({ accountId }) => <Account id={accountId} hasOld={hasOld} onAction={onAction} />}</Loaded>
    </OneAccount>
  )
}

function OneAccount({ children }: { readonly children: ReactNode }) {
  return (
    <>
      {children}
      <Button component={Link} href="/keys" variant="default">
        Show all accounts
      </Button>
    </>
  )
}

function Account({ id, hasOld, onAction }: ListProps & { readonly id: number }) {
  const account = useQuery({ ...accountQuery(id), refetchInterval: usageRefreshMs })
  return (
    <Loaded query={account}>{(found) => <AccountSection account={found} hasOld={hasOld} onAction={onAction} />}</Loaded>
  )
}
