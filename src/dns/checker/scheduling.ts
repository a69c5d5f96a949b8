/** How the process that checks names shares the processors: requests to the server come first. */

import { readdirSync } from 'node:fs'
import { arch, platform } from 'node:os'

/** The priority of the process, lower than that of the server: https://man7.org/linux/man-pages/man2/setpriority.2.html */
export const niceness = 10

/**
 * Switches off the optimizing compilers of JavaScriptCore, which run in other threads at the same time. The process ends before the
 * compiled code has saved as much time as they took.
 * https://github.com/oven-sh/WebKit/blob/main/Source/JavaScriptCore/runtime/OptionsList.h
 */
export const compilation = { BUN_JSC_useDFGJIT: '0' } as const

/** The numbers of sched_setattr(2), for which older C libraries have no function. */
const systemCalls: Partial<Record<string, number>> = { x64: 314, arm64: 274 }
const schedBatch = 3
/** The size of the first version of `struct sched_attr`, in bytes. */
const attributesSize = 48
/** The longest time slice, in nanoseconds. */
const sliceNs = 100_000_000n

/**
 * Lets the threads of this process, and those that they start, give way to the threads of others at once. A priority alone
 * only makes their share smaller: a thread still interrupts another when it wakes up, and runs until its time slice ends while
 * another waits. With the policy SCHED_BATCH it interrupts none, and from Linux 6.12 on a thread with a shorter time
 * slice than its own need not wait for the end of it. Both need no privilege. Does nothing where the system has none of this.
 * https://man7.org/linux/man-pages/man2/sched_setattr.2.html
 */
export async function giveWay(): Promise<void> {
  const call = systemCalls[arch()]
  if (platform() !== 'linux' || call === undefined) return
  try {
    const { dlopen } = await import('bun:ffi')
    const { symbols, close } = dlopen('libc.so.6', {
      syscall: { args: ['i64', 'i32', 'ptr', 'u32'], returns: 'i32' },
    })
    const attributes = schedulingAttributes()
    for (const thread of readdirSync('/proc/self/task')) symbols.syscall(call, Number(thread), attributes, 0)
    close()
  } catch {
    // The C library has another name, or there is no /proc.
  }
}

/** `struct sched_attr`. A kernel that knows no slices of such threads ignores this one. */
function schedulingAttributes(): Uint8Array {
  const attributes = new DataView(new ArrayBuffer(attributesSize))
  attributes.setUint32(0, attributesSize, true)
  attributes.setUint32(4, schedBatch, true)
  attributes.setInt32(16, niceness, true)
  attributes.setBigUint64(24, sliceNs, true)
  return new Uint8Array(attributes.buffer)
}
