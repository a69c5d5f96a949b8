/** Starts `order-child.ts`. */

import { join } from 'node:path'
import type { OrderChildSettings } from './order-child.ts'

export function startOrderChild(bun: string, settings: OrderChildSettings, env: Readonly<Record<string, string>> = {}) {
  const child = Bun.spawn([bun, join(import.meta.dir, 'order-child.ts'), JSON.stringify(settings)], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    env: { PATH: '/usr/bin:/bin', ...env },
  })
  const errors = new Response(child.stderr).text()
  return {
    errors,
    exited: child.exited,
    /** Resolves when every name has a certificate in use. Throws if the process ends before. */
    async installed(): Promise<void> {
      const missing = new Set(settings.hostnames)
      let text = ''
      const decoder = new TextDecoder()
      for await (const chunk of child.stdout) {
        text += decoder.decode(chunk, { stream: true })
        for (const line of text.split('\n')) missing.delete(line)
        if (missing.size === 0) return
      }
      throw new Error(`the process ended without a certificate: ${await errors}`)
    },
    async kill(): Promise<void> {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}
