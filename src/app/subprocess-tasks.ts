/** The tasks that run in a separate process, by name. */

import type { Tasks } from '../lib/subprocess.ts'
import { bucketTasks } from '../operate/backups/away/work.ts'
import { backupTasks } from '../operate/backups/http/work.ts'
import { doctorTasks } from '../operate/doctor/examine.ts'

export const subprocessTasks: Tasks = { ...backupTasks, ...bucketTasks, ...doctorTasks }
