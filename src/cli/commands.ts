/** The table of commands, in the order of the help. */

import { accountsList, accountsUpdate } from './accounts.ts'
import { backupKeys } from './backup-bucket.ts'
import { backupConfirm, backupCreate, backupDownload, backupList, backupRestore, backupVerify } from './backups.ts'
import type { Command } from './command.ts'
import { completion } from './completion/completion.ts'
import { demo } from './demo.ts'
import { deploy } from './deploy.ts'
import { doctor } from './doctor.ts'
import { domainsAdd, domainsList, domainsRemove, domainsVerify } from './domains.ts'
import { domainsCheck } from './domains-check.ts'
import { eventsList, eventsTail } from './events.ts'
import { health } from './health.ts'
import { keysCreate, keysList, keysRevoke, keysRoll, keysUnban } from './keys.ts'
import { login, logout } from './login.ts'
import { openapi } from './openapi.ts'
import { ownerReset } from './owner.ts'
import { petsExport } from './pets-export.ts'
import { petsImport } from './pets-import.ts'
import { projectsCreate, projectsList } from './projects.ts'
import { serve } from './serve.ts'
import { serviceInstall } from './service/install.ts'
import { serviceUninstall } from './service/uninstall.ts'
import { status } from './status.ts'
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
