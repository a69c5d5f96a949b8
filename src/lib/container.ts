/** Detects whether this process runs in a container of Docker or Podman, and in which. */

import { existsSync, readFileSync } from 'node:fs'

export const containerEngines = ['docker', 'podman'] as const

export interface Container {
  readonly engine: (typeof containerEngines)[number]
  /** 64 hexadecimal digits. */
  readonly id: string
}

const podmanMark = '/run/.containerenv'

export function isInContainer(): boolean {
  return ['/.dockerenv', podmanMark].some((path) => existsSync(path))
}

/** Undefined outside of a container, and if its engine does not reveal the id. */
export function findContainer(): Container | undefined {
  if (!isInContainer()) return undefined
  try {
    const id = containerIdIn(readFileSync('/proc/self/mountinfo', 'utf8'))
    return id === undefined ? undefined : { engine: existsSync(podmanMark) ? 'podman' : 'docker', id }
  } catch {
    return undefined
  }
}

/**
 * The id in the list of mounts: both engines mount `/etc/hostname` from a directory that they keep for the container.
 * https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html
 */
export function containerIdIn(mounts: string): string | undefined {
  return /containers\/([0-9a-f]{64})\/(?:userdata\/)?hostname \/etc\/hostname /.exec(mounts)?.[1]
}
