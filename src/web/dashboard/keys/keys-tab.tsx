/** The accounts with their keys. */

import { Box, Button, Switch } from '@mantine/core'
import { IconKey, IconPlus } from '@tabler/icons-react'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Link, useLocation, useSearchParams } from 'wouter'
import { accountQuery } from '../api/accounts.ts'
import { AccountField } from '../ui/account-field.tsx'
import { idIn } from '../ui/input.ts'
import { Empty, Loaded, LoadingRows } from '../ui/states.tsx'
import { ShowMore } from '../ui/table.tsx'
import { AccountSection } from './account-section.tsx'
import { ChangeKey } from './change-key.tsx'
import { accountPagesQuery, keyQuery, usageRefreshMs } from './queries.ts'
import type { KeyAction } from './words.ts'

export function KeysTab() {
  const [parameters] = useSearchParams()
  const [hasOld, setOld] = useState(false)
  const [action, setAction] = useState<KeyAction>()
  const [keyId, accountId] = [idIn(parameters, 'key'), idIn(parameters, 'of')]
  const list = { hasOld, onAction: setAction }
  return (
    <>
      <Switch
        label="Show revoked and expired keys"
        checked={hasOld}
        onChange={({ currentTarget }) => setOld(currentTarget.checked)}
      />
      {keyId > 0 ? (
        <AccountOfKey {...list} keyId={keyId} />
      ) : accountId > 0 ? (
        <OneAccount>
          <Account {...list} id={accountId} />
        </OneAccount>
      ) : (
        <Accounts {...list} />
      )}
      <ChangeKey action={action} onClose={() => setAction(undefined)} />
    </>
  )
}

interface ListProps {
  /** Whether revoked and expired keys are shown too. */
  readonly hasOld: boolean
  readonly onAction: (action: KeyAction) => void
}

function Accounts(props: ListProps) {
  const query = useInfiniteQuery(accountPagesQuery)
  const [, navigate] = useLocation()
  return (
    <Loaded query={query} loading={<LoadingRows rows={8} label="Loading the keys…" />}>
      {(accounts) => (
        <>
          {query.hasNextPage && (
            <Box maw="20rem">
              <AccountField
                isUnlabelled
                none="All accounts"
                value={0}
                onChange={(id) => id !== undefined && navigate(`/keys?of=${id}`)}
              />
            </Box>
          )}
          {!query.hasNextPage && accounts.every(({ keyCount }) => keyCount === 0) && (
            <Empty
              icon={<IconKey size={28} />}
              title="No keys"
              text="A key lets a program use your store: your website, a partner, a script. Each key can do only what you allow."
              actions={
                <Button component={Link} href="/keys?create=1" leftSection={<IconPlus size={16} />}>
                  Create key
                </Button>
              }
            />
          )}
          {accounts.map((account) => (
            <AccountSection key={account.id} {...props} account={account} />
          ))}
          <ShowMore query={query} label="Show more accounts" />
        </>
      )}
    </Loaded>
  )
}

/** Only the account of the key in the address of the page. */
function AccountOfKey({ keyId, ...props }: ListProps & { readonly keyId: number }) {
  const key = useQuery(keyQuery(keyId))
  return (
    <OneAccount>
      <Loaded query={key}>{({ accountId }) => <Account {...props} id={accountId} />}</Loaded>
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

function Account({ id, ...props }: ListProps & { readonly id: number }) {
  const account = useQuery({ ...accountQuery(id), refetchInterval: usageRefreshMs })
  return <Loaded query={account}>{(found) => <AccountSection {...props} account={found} />}</Loaded>
}
