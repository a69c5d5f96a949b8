/** The table of commands. */

import { accountsList, accountsUpdate } from './accounts.ts'
import type { Command } from './command.ts'
import { keysCreate, keysList, keysRevoke, keysRoll, keysUnban } from './keys.ts'
import { openapi } from './openapi.ts'
import { petsImport } from './pets-import.ts'
import { serve } from './serve.ts'
import { version } from './version.ts'

export const commands: readonly Command[] = [
  serve,
  keysCreate,
  keysList,
  keysRevoke,
  keysRoll,
  keysUnban,
  accountsList,
  accountsUpdate,
  petsImport,
  openapi,
  version,
]
