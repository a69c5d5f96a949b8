/**
 * The service of the machine as text: the unit of systemd, and the file with its options. Pure functions; the unit is
 * the only record of where the store of the service is.
 */

import { join } from 'node:path'
import { type EnvironmentVariables, variableOf } from '../../config/read.ts'
import { type OptionValues, UsageError } from '../../config/values.ts'
import type { Environment } from '../../lib/environment.ts'

/** The names that a service has on its machine. */
export interface Service {
  /** Of the unit and of its user. */
  readonly name: string
  readonly environment: Environment
  readonly executable: string
  readonly unitFile: string
  readonly optionsFile: string
  readonly dataDirectory: string
}

/** The service of an environment, with its usual data directory unless another is given. */
export function serviceOf(environment: Environment, dataDirectory?: string): Service {
  const name = environment === 'production' ? 'petstore' : `petstore-${environment}`
  return {
    name,
    environment,
    executable: `/usr/local/bin/${name}`,
    unitFile: `/etc/systemd/system/${name}.service`,
    optionsFile: `/etc/${name}.env`,
    dataDirectory: dataDirectory ?? `/var/lib/${name}`,
  }
}

/** The unit of a service whose store has the id `storeId`. */
export function unitText(service: Service, storeId: string): string {
  const { name, environment, executable, optionsFile, dataDirectory } = service
  return `# Written by "petstore service install", which writes it again: do not change it here.
# The options are in ${optionsFile}.

[Unit]
Description=Pet Store${environment === 'production' ? '' : ` (${environment})`}
Wants=network-online.target
After=network-online.target
RequiresMountsFor=${dataDirectory}
StartLimitIntervalSec=0

[Service]
Type=notify
# Bun has no unix datagrams: the service runs systemd-notify once.
NotifyAccess=all
User=${name}
Group=${name}
EnvironmentFile=-${optionsFile}
# Another store, or none, as where a disk is not mounted, is an error: never a new and empty one.
ExecStart=${executable} serve --data ${dataDirectory} --environment ${environment} --store-id ${storeId}
Restart=on-failure
RestartSec=5
# Wrong options do not become right.
RestartPreventExitStatus=2
# A backup before a migration takes its time.
TimeoutStartSec=15min
KillMode=mixed
LimitNOFILE=65536
# A look-up of a name that no server answers keeps a thread, and changes need one to reach the disk: Bun has two on two processors.
Environment=UV_THREADPOOL_SIZE=16
UMask=0077

# Ports below 1024, and no other privilege.
AmbientCapabilities=CAP_NET_BIND_SERVICE
CapabilityBoundingSet=CAP_NET_BIND_SERVICE
NoNewPrivileges=yes
ProtectSystem=strict
ReadWritePaths=${dataDirectory}
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
ProcSubset=pid
RemoveIPC=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
# Backups give way to requests.
SystemCallFilter=sched_setattr sched_setscheduler
SystemCallErrorNumber=EPERM
# No MemoryDenyWriteExecute: without its compiler for JavaScript the service is twelve times slower.

[Install]
WantedBy=multi-user.target
`
}

/** The data directory and the id of the store that a unit has; undefined for a unit that is none of `unitText`. */
export function readUnit(unit: string): { readonly dataDirectory: string; readonly storeId: string } | undefined {
  const [, dataDirectory, storeId] =
    /^ExecStart=\S+ serve --data (\S+) --environment \S+ --store-id (\S+)$/m.exec(unit) ?? []
  return dataDirectory === undefined || storeId === undefined ? undefined : { dataDirectory, storeId }
}

/** Directories that the service does not see, or must not own. */
const hidden = ['/home', '/root', '/run', '/tmp', '/var/tmp', '/dev', '/proc', '/sys']

/** The path of the socket in it has at most 103 bytes. */
const longestDirectory = 80

/** Throws `UsageError` for a data directory that the service could not use. */
export function assertDirectory(path: string): void {
  const fault =
    hidden.some((top) => path === top || path.startsWith(`${top}/`)) || path.split('/').length < 3
      ? 'must be a directory such as /srv/petstore; the service does not see /home and /tmp'
      : !/^[\w./+-]+$/.test(path)
        ? 'must have only letters, digits and _ . / + - in its path, for the unit of systemd'
        : path.length > longestDirectory
          ? `must have a path of at most ${longestDirectory} characters`
          : undefined
  if (fault !== undefined) throw new UsageError(`--data ${fault}, not "${path}".`)
}

/** Throws `UsageError` for a file that an option names and that the service does not see. */
export function assertVisible(name: string, path: string): void {
  if (!hidden.some((top) => path.startsWith(`${top}/`))) return
  const advice = `Put it into a directory such as ${join('/etc', 'petstore')}, readable by the user of the service`
  throw new UsageError(`--${name} is ${path}, which the service does not see. ${advice}.`)
}

/**
 * The text of the file of options: a line `PETSTORE_…=` for each, after the lines that are kept. Throws `UsageError`
 * for a value of several lines.
 */
export function optionsText({ name }: Service, options: OptionValues, kept: readonly string[]): string {
  const lines = Object.entries(options).map(([option, value]) => {
    const text = Array.isArray(value) ? value.join(',') : String(value)
    if (/[\r\n\0]/.test(text)) throw new UsageError(`--${option} must be one line.`)
    return `${variableOf(option)}=${/^[\w./:@,+-]*$/.test(text) ? text : `"${text.replaceAll(/["\\$`]/g, String.raw`\$&`)}"`}`
  })
  const head = [
    `# The options of ${name}.service: PETSTORE_ and the name of an option of petstore serve, such as PETSTORE_LOG_LEVEL=debug.`,
    `# After a change: sudo systemctl restart ${name}`,
  ]
  return `${[...head, ...kept, ...lines].join('\n')}\n`
}

/** The variables of a file of options, which people may have edited (systemd.exec(5), `EnvironmentFile=`). */
export function readVariables(file: string): EnvironmentVariables {
  return Object.fromEntries(
    file.split('\n').flatMap((line) => {
      const [, variable, value = ''] = /^\s*(\w+)=(.*?)\s*$/.exec(line) ?? []
      return variable === undefined ? [] : [[variable, unquoted(value)] as const]
    }),
  )
}

function unquoted(value: string): string {
  if (/^'.*'$/.test(value)) return value.slice(1, -1)
  const inner = /^".*"$/.test(value) ? value.slice(1, -1) : value
  return inner.replaceAll(/\\(.)/g, '$1')
}

/** The lines of a file of options that set none of `variables`: comments and variables for other programs. */
export function otherLines(file: string, variables: readonly string[]): string[] {
  return file.split('\n').filter((line) => {
    const variable = /^\s*(\w+)=/.exec(line)?.[1]
    return variable !== undefined && !variables.includes(variable)
  })
}
