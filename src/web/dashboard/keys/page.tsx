/** The page of API keys: accounts with their keys, what they use, and the audit log. */

import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { Link, useLocation, useSearchParams } from 'wouter'
import { idIn } from '../ui/address.ts'
import { Page } from '../ui/page.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { keysAddress } from './address.ts'
import { AuditTab } from './audit/audit-tab.tsx'
import { CreateKey } from './create/create-key.tsx'
import { KeysTab } from './list/keys-tab.tsx'
import { UsageTab } from './usage/usage-tab.tsx'

const tabs = [
  { href: '/keys', label: 'Keys', Tab: KeysTab },
  { href: '/keys/usage', label: 'Usage', Tab: UsageTab },
  { href: '/keys/audit', label: 'Audit log', Tab: AuditTab },
] as const

export function KeysPage() {
  const [location, navigate] = useLocation()
  const [parameters] = useSearchParams()
  const list = keysAddress(parameters)
  const { Tab, href } = tabs.find((tab) => tab.href === location) ?? tabs[0]
  return (
    <Page
      title="API keys"
      lead="A key lets a program use your store, as far as you allow."
      actions={
        <Button component={Link} href={keysAddress(parameters, { create: '1' })} leftSection={<IconPlus size={16} />}>
          Create key
        </Button>
      }
    >
      <Tabs
        label="Parts of this page"
        tabs={tabs.map((tab) => ({ href: tab.href, label: tab.label, isCurrent: tab.href === href }))}
      />
      <Tab />
      <CreateKey
        key={parameters.get('account')}
        opened={parameters.has('create')}
        accountId={idIn(parameters, 'account')}
        onClose={(issued) => {
          // The list of another account would not show the new key.
          const isElsewhere = issued !== undefined && list !== '/keys'
          navigate(isElsewhere ? `/keys?of=${issued.accountId}` : list, { replace: true })
        }}
      />
    </Page>
  )
}
