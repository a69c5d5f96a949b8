/**
 * Runs a task in a process that petstore has started: not a command for people. In the executable it is a program of
 * its own, since a process that loads the commands and the API has 26 MB more.
 */

import { systemClock } from '../lib/clock.ts'
import { performTask } from '../lib/subprocess.ts'
import { bucketTasks } from '../operate/backups/away/work.ts'
import { backupTasks } from '../operate/backups/http/work.ts'
import { doctorTasks } from '../operate/doctor/examine.ts'
import { spreadsheetTasks } from '../shop/imports/spreadsheets/read.ts'
import { photoTasks } from '../shop/photos/encode.ts'
import type { Terminal } from './command.ts'
import { explain } from './explain.ts'

const tasks = { ...backupTasks, ...bucketTasks, ...doctorTasks, ...photoTasks, ...spreadsheetTasks }

/** Runs the task that the second argument names, in the manner of `run` of the commands. */
export async function run([, name = '']: readonly string[], _: unknown, terminal: Terminal): Promise<number> {
  try {
    await performTask(tasks, name, { input: terminal.input(), out: terminal.write, clock: systemClock })
    return 0
  } catch (error) {
    return explain(error, terminal)
  }
}
