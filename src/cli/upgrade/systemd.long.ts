import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { executable, isBuilt } from '../../testing/executable.ts'
import { createMachine } from '../../testing/systemd/machine.ts'

const machine = isBuilt ? await createMachine() : undefined
const scripts = mkdtempSync(join(tmpdir(), 'petstore-upgrades-'))
afterAll(async () => {
  rmSync(scripts, { recursive: true })
  await machine?.remove()
})

async function run(script: string) {
  return (await machine?.run(script)) ?? { code: 1, out: '', err: '' }
}

/** Runs a script; throws if it fails. */
async function sh(script: string): Promise<string> {
  const { code, out, err } = await run(script)
  if (code !== 0) throw new Error(`${script} failed with ${code}: ${out}${err}`)
  return out
}

/** Installs a petstore on the machine that first runs `text`. */
async function put(name: string, text: string): Promise<void> {
  writeFileSync(join(scripts, name), `#!/bin/sh\n${text}\nexec /opt/petstore "$@"\n`)
  machine?.put(join(scripts, name), `/home/ada/${name}`)
  await sh(`chmod +x /home/ada/${name}`)
}

const installed = () => sh('cat /usr/local/bin/petstore')
const state = async () => (await sh('systemctl show --value --property=ActiveState petstore')).trim()
const animals = async () => JSON.parse(await sh('petstore pets export --json 2>/dev/null')).length

describe.skipIf(machine === undefined)('petstore upgrade on a machine with systemd', () => {
  test('replaces the executable of the service, which keeps its store', async () => {
    machine?.put(executable, '/opt/petstore')
    await machine?.boot()
    await sh('mkdir -p /home/ada && cd /home/ada && /opt/petstore demo && /opt/petstore service install --take-over')
    await put('next', '# next')
    const { code, out, err } = await run('petstore upgrade /home/ada/next')
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(
        /^The service petstore runs petstore 1\.\S+ .*\nThe old executable is \/usr\/local\/bin\/petstore\.previous, and the store before the upgrade \/var\/lib\/petstore\/backups\/production-before-upgrade-.*\n$/,
      ),
    ])
    expect(err).toContain('Trying petstore')
    expect([(await installed()).includes('# next'), await state(), await animals()]).toEqual([true, 'active', 300])
    expect(await sh('stat -c "%U" /var/lib/petstore/backups/*')).not.toContain('root')
  })

  test('puts the old executable and the store back if the new one works on a copy and not as the service', async () => {
    await put('failing', 'case "$*" in *--store-id*) echo "petstore: The moon is full." >&2; exit 1 ;; esac')
    const { code, out, err } = await run('petstore upgrade /home/ada/failing')
    expect([code, out]).toEqual([1, ''])
    expect(err.trim().split('\n').at(-1)).toBe(
      'petstore: The service petstore did not start. It said: The moon is full. Nothing was upgraded or lost: the service runs as before.',
    )
    expect([(await installed()).includes('# next'), await state(), await animals()]).toEqual([true, 'active', 300])
  })

  test('puts the old executable back if the new one is not ready in time', async () => {
    const directory = '/etc/systemd/system/petstore.service.d'
    await sh(`mkdir ${directory} && printf '[Service]\\nTimeoutStartSec=15s\\n' >${directory}/time.conf`)
    await sh('systemctl daemon-reload')
    await put('silent', 'case "$*" in *--store-id*) exec sleep 1000 ;; esac')
    const { code, err } = await run('petstore upgrade /home/ada/silent')
    expect([code, err.trim().split('\n').at(-1)]).toEqual([
      1,
      'petstore: The service petstore was not ready in time. Nothing was upgraded or lost: the service runs as before.',
    ])
    expect([(await installed()).includes('# next'), await state(), await animals()]).toEqual([true, 'active', 300])
    await sh(`rm -r ${directory} && systemctl daemon-reload`)
  })

  test('needs root', async () => {
    const { code, err } = await run('runuser -u nobody -- petstore upgrade /home/ada/next')
    expect([code, err]).toEqual([1, expect.stringContaining('sudo')])
  })
})
