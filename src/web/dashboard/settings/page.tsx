/** The page of settings: the store with its currency and mail, backups and machine; the owner's sign-in and sessions. */

import { Page } from '../ui/page.tsx'
import { BackupsSection } from './backups-section.tsx'
import { CurrencySection } from './currency-section.tsx'
import { MachineSection } from './machine-section.tsx'
import { MailSection } from './mail-section.tsx'
import { OwnerSection } from './owner-section.tsx'
import { SessionsSection } from './sessions-section.tsx'
import { StoreSection } from './store-section.tsx'

export function SettingsPage() {
  return (
    <Page title="Settings">
      <StoreSection />
      <CurrencySection />
      <MailSection />
      <BackupsSection />
      <MachineSection />
      <OwnerSection />
      <SessionsSection />
    </Page>
  )
}
