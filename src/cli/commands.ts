/** The table of commands, in the order of the help. */

import {
  backupConfirm,
  backupCreate,
  backupDownload,
  backupList,
  backupRestore,
  backupVerify,
} from './backups/backups.ts'
import { backupKeys } from './backups/bucket.ts'
import { login, logout } from './client/login.ts'
import type { Command } from './command.ts'
import { completion } from './completion/completion.ts'
import { eventsList, eventsTail } from './events.ts'
import { accountsList, accountsUpdate } from './keys/accounts.ts'
import { keysCreate, keysList, keysRevoke, keysRoll, keysUnban } from './keys/keys.ts'
import { openapi } from './openapi.ts'
import { demo } from './pets/demo.ts'
import { petsExport } from './pets/export.ts'
import { petsImport } from './pets/import.ts'
import { petsPhotosAdd, petsPhotosList, petsPhotosRemove } from './pets/photos.ts'
import { petsSet, petsShow } from './pets/profile.ts'
import { ownerReset } from './serve/owner.ts'
import { serve } from './serve/serve.ts'
import { serviceInstall } from './service/install.ts'
import { serviceUninstall } from './service/uninstall.ts'
import { settingsSet, settingsShow } from './settings.ts'
import { deploy } from './sites/deploy.ts'
import { domainsAdd, domainsList, domainsRemove, domainsVerify } from './sites/domains.ts'
import { domainsCheck } from './sites/domains-check.ts'
import { projectsCreate, projectsList } from './sites/projects.ts'
import { doctor } from './status/doctor.ts'
import { health } from './status/health.ts'
import { status } from './status/status.ts'
import { upgrade } from './upgrade/upgrade.ts'
import { version } from './version.ts'

export const commands: readonly Command[] = [
  serve,
  serviceInstall,
  serviceUninstall,
  keysCreate,
  keysList,
  keysRevoke,
  keysRoll,
  keysUnban,
  accountsList,
  accountsUpdate,
  projectsCreate,
  projectsList,
  deploy,
  petsImport,
  petsExport,
  petsShow,
  petsSet,
  petsPhotosAdd,
  petsPhotosList,
  petsPhotosRemove,
  settingsShow,
  settingsSet,
  demo,
  domainsAdd,
  domainsList,
  domainsVerify,
  domainsRemove,
  domainsCheck,
  eventsList,
  eventsTail,
  backupCreate,
  backupList,
  backupDownload,
  backupVerify,
  backupRestore,
  backupConfirm,
  backupKeys,
  status,
  doctor,
  ownerReset,
  upgrade,
  health,
  login,
  logout,
  openapi,
  completion,
  version,
]
