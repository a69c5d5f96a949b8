/** The page of API keys: accounts with their keys, what they use, and the audit log. */

import { Button, Modal } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { Link, useLocation, useSearchParams } from 'wouter'
import { idIn } from '../ui/input.ts'
import { Page, Tabs } from '../ui/page.tsx'
import { AuditTab } from './audit-tab.tsx'
import { CreateForm } from './create-form.tsx'
import { KeysTab } from './keys-tab.tsx'
import { UsageTab } from './usage-tab.tsx'
import { AddWebhook, WebhooksTab } from './webhooks/tab.tsx'
import { keysAddress } from './words.ts'

const tabs = [
  { href: '/keys', label: 'Keys', Tab: KeysTab },
  { href: '/keys/webhooks', label: 'Webhooks', Tab: WebhooksTab },
  { href: '/keys/usage', label: 'Usage', Tab: UsageTab },
  { href: '/keys/audit', label: 'Audit log', Tab: AuditTab },
] as const

export function KeysPage() {
  const [location, navigate] = useLocation()
  const [parameters] = useSearchParams()
  const list = keysAddress(parameters)
  const { Tab, href } = tabs.find((tab) => tab.href === location) ?? tabs[0]
  const close = (address = list) => navigate(address, { replace: true })
  return (
    <Page
      title="API keys"
      lead="A key lets a program use your store, as far as you allow."
      actions={
        href === '/keys/webhooks' ? (
          <AddWebhook />
        ) : (
          <Button component={Link} href={keysAddress(parameters, { create: '1' })} leftSection={<IconPlus size={16} />}>
            Create key
          </Button>
        )
      }
    >
      <Tabs
        label="Parts of this page"
        tabs={tabs.map((tab) => ({ href: tab.href, label: tab.label, isCurrent: tab.href === href }))}
      />
      <Tab />
      <Modal opened={parameters.has('create')} onClose={() => close()} title="Create key" size="lg">
        <CreateForm
          key={parameters.get('account')}
          accountId={idIn(parameters, 'account')}
          // The list of another account would not show the new key.
          onClose={(issued) =>
            issued !== undefined && list !== '/keys' ? close(`/keys?of=${issued.accountId}`) : close()
          }
        />
      </Modal>
    </Page>
  )
}
