/**
 * The service as systemd runs it: stop it, replace its executable, start it and wait until it is ready. systemd's own programs do the
 * work; their errors become one line.
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

/** What systemd knows of a service. */
export interface ServiceState {
  /** `active`, `activating`, `inactive`, `failed` or another state of systemd. */
  readonly active: string
  /** Whether it starts with the machine. */
  readonly isEnabled: boolean
  readonly pid: number | null
  /** When it has become ready, in RFC 3339; null while it is not. */
  readonly since: string | null
  /** How often systemd has restarted it after a failure, since it was started. */
  readonly restarts: number
}

export async function stateOf({ name }: Service): Promise<ServiceState> {
  const names = ['ActiveState', 'UnitFileState', 'MainPID', 'ActiveEnterTimestamp', 'NRestarts']
  const properties = names.map((property) => `--property=${property}`)
  // Times in the time zone of the variable: systemctl has had its option for others only since systemd 251.
  const shown = await runProgram('env', 'TZ=UTC', 'systemctl', 'show', ...properties, `${name}.service`)
  const value = (property: string) => new RegExp(`^${property}=(.*)$`, 'm').exec(shown)?.[1] ?? ''
  const active = value('ActiveState')
  const [, day, time] = /^\w+ (\S+) (\S+) UTC$/.exec(value('ActiveEnterTimestamp')) ?? []
  return {
    active,
    isEnabled: value('UnitFileState') === 'enabled',
    pid: Number(value('MainPID')) || null,
    since: active === 'active' && day !== undefined ? `${day}T${time}Z` : null,
    restarts: Number(value('NRestarts')),
  }
}

/** Stops the service: its requests in flight are finished, and its store is closed. Does nothing if it does not run. */
export async function stopService({ name }: Service): Promise<void> {
  await runProgram('systemctl', 'stop', `${name}.service`)
}

/** Starts the service again and waits until it is ready. Throws `conflict` with the reason if it fails. */
export async function startService(service: Service): Promise<void> {
  const { name, dataDirectory } = service
  try {
    await runProgram('systemctl', 'restart', `${name}.service`)
  } catch (cause) {
    // The unit requires the mounts of its data directory, and nothing else that can fail. The log is that of an earlier start then.
    const isWithoutDisk = messageOf(cause).includes('dependency job')
    const outcome = messageOf(cause).includes('timeout was exceeded') ? 'was not ready in time' : 'did not start'
    const log = isWithoutDisk ? '' : await lastLines(service).catch(() => '')
    const reason = isWithoutDisk
      ? ` The disk of ${dataDirectory} can't be mounted: see systemctl --failed, then run: sudo systemctl restart ${name}`
      : log && ` It said: ${log}`
    throw new AppError('conflict', `The service ${name} ${outcome}.${reason}`, { cause })
  }
}

/** The last line of the log of a service that has failed, without the word for petstore before it. */
async function lastLines(service: Service): Promise<string> {
  const lines = (await logOfLastStart(service)).trimEnd().split('\n')
  const last = lines.findLast((line) => line.startsWith('petstore: ')) ?? lines.at(-1) ?? ''
  return last.replace(/^petstore: /, '')
}

/** What the process that was started last has printed and logged. */
export async function logOfLastStart({ name }: Service): Promise<string> {
  const unit = `${name}.service`
  await outcomeOf(['journalctl', '--sync'])
  const shown = await runProgram('systemctl', 'show', '--property=ExecMainPID', '--value', unit)
  // Not by the id of the invocation: the journal does not know it of a process that ends before the journal reads its lines.
  const lines = [`_SYSTEMD_UNIT=${unit}`, `_PID=${shown.trim()}`]
  return await runProgram('journalctl', '--no-pager', '--output=cat', '--boot', ...lines)
}

/**
 * Puts a copy of the file in the place of an executable, which may be running, with the mode 755. It has the old or the new content
 * at every moment, also after a loss of power. Throws the error of the system.
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
