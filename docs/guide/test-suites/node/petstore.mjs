import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/**
 * Starts the executable as a store of its own. It ends with this process, however that ends.
 * @param {object} [beginning] what the store begins with, such as `{ plan: 'free', now: '2026-11-20T10:00:00Z' }`
 */
export async function startPetstore(beginning) {
  const options = ['serve', '--ephemeral', '--port', '0', '--json', '--clock', 'manual', '--exit-with-parent']
  const server = spawn(process.env.PETSTORE ?? 'petstore', options, { stdio: ['pipe', 'pipe', 'inherit'] })
  const [line] = await once(createInterface(server.stdout), 'line')
  const { url, key } = JSON.parse(line)

  /** @param {string} method @param {string} path @param {object} [body] */
  async function control(method, path, body) {
    const headers = { Authorization: `Bearer ${key}` }
    const response = await fetch(`${url}/test/${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(text)
    return text === '' ? undefined : JSON.parse(text)
  }

  if (beginning) await control('POST', 'reset', beginning)
  return {
    url,
    key,
    advance: (ms) => control('POST', 'clock', { advanceMs: ms }),
    fail: (fault) => control('POST', 'faults', fault),
    requests: () => control('GET', 'requests'),
    reset: (changes) => control('POST', 'reset', changes),
    async stop() {
      server.kill()
      await once(server, 'exit')
    },
  }
}
