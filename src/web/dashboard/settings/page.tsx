/** The page of settings: the store itself, the owner and the owner's sessions. */

import { Page } from '../ui/page.tsx'
import { OwnerSection } from './owner/owner-section.tsx'
import { SessionsSection } from './owner/sessions-section.tsx'
import { BackupsSection } from './store/backups-section.tsx'
import { MailSection } from './store/mail-section.tsx'
import { StoreSection } from './store/store-section.tsx'
import './settings.css'

export function SettingsPage() {
  return (
    <Page title="Settings" width="narrow">
      <StoreSection />
      <MailSection />
      <BackupsSection />
      <OwnerSection />
      <SessionsSection />
    </Page>
  )
}
