/**
 * The service as systemd runs it: stop it, replace its executable, start it and wait until it is ready. The programs
 * of systemd do the work; their errors become one line.
 */

import { chmodSync, copyFileSync, existsSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { AppError, messageOf } from '../../lib/error.ts'
import { flush } from '../../lib/flush.ts'
import { systemReason } from '../../lib/system-error.ts'
import type { Service } from './unit.ts'

/** Whether systemd runs this machine (sd_booted(3)). */
export const hasSystemd = (): boolean => existsSync('/run/systemd/system')

/** Runs a program; resolves to its output. Throws `conflict` with its first line on stderr if it fails. */
export async function runProgram(...command: string[]): Promise<string> {
  const { code, out, err } = await outcomeOf(command)
  if (code === 0) return out
  const [reason = ''] = err.trim().split('\n')
  throw new AppError('conflict', `${command.join(' ')} failed: ${reason === '' ? `exit code ${code}` : reason}`)
}

async function outcomeOf(command: string[]) {
  try {
    const child = Bun.spawn(command, { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
    const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    return { code: await child.exited, out, err }
  } catch (cause) {
    throw new AppError('conflict', `${command[0]} can't be run: ${systemReason(cause)}.`, { cause })
  }
}

/** Stops the service: its requests in flight are finished, and its store is closed. Does nothing if it does not run. */
export async function stopService({ name }: Service): Promise<void> {
  await runProgram('systemctl', 'stop', `${name}.service`)
}

/** Starts the service again and waits until it is ready. Throws `conflict` with the reason if it fails. */
export async function startService(service: Service): Promise<void> {
  const { name } = service
  try {
    await runProgram('systemctl', 'restart', `${name}.service`)
  } catch (cause) {
    const outcome = messageOf(cause).includes('timeout was exceeded') ? 'was not ready in time' : 'did not start'
    const line = await lastLine(service).catch(() => '')
    throw new AppError('conflict', `The service ${name} ${outcome}.${line && ` It said: ${line}`}`, { cause })
  }
}

/** The last line that a service which has failed has printed, without `petstore: ` at its start. */
async function lastLine(service: Service): Promise<string> {
  const lines = (await logOfLastStart(service)).trimEnd().split('\n')
  const last = lines.findLast((line) => line.startsWith('petstore: ')) ?? lines.at(-1) ?? ''
  return last.replace(/^petstore: /, '')
}

/** What the process that was started last has printed and logged. */
export async function logOfLastStart({ name }: Service): Promise<string> {
  const unit = `${name}.service`
  await outcomeOf(['journalctl', '--sync'])
  const shown = await runProgram('systemctl', 'show', '--property=ExecMainPID', '--value', unit)
  // Not by the id of the invocation: the journal does not know it of a process that ends before the journal reads its
  // lines.
  const lines = [`_SYSTEMD_UNIT=${unit}`, `_PID=${shown.trim()}`]
  return await runProgram('journalctl', '--no-pager', '--output=cat', '--boot', ...lines)
}

/**
 * Puts a copy of the file in the place of an executable, which may be running, with the mode 755. It has the old or the
 * new content at every moment, also after a loss of power. Throws the error of the system.
 */
export function replaceExecutable(file: string, executable: string): void {
  const incoming = `${executable}.new`
  try {
    copyFileSync(file, incoming)
    chmodSync(incoming, 0o755)
    flush(incoming)
    renameSync(incoming, executable)
  } catch (error) {
    rmSync(incoming, { force: true })
    throw error
  }
  flush(dirname(executable))
}
