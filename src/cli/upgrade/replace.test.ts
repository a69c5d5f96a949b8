import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { currentVersion } from '../../database/migrate.ts'
import { hasUpgradeMark, setUpgradeMark } from '../../database/upgrade-mark.ts'
import { AppError } from '../../lib/error.ts'
import { backUpBeforeUpgrade } from '../../operate/backups/before-migration.ts'
import { emptyFolder, executable, isBuilt } from '../../testing/executable.ts'
import { mountDisk } from '../../testing/faults.ts'
import { schemaOf } from './executable.ts'
import { replace, type UpgradedService } from './replace.ts'

describe.skipIf(!isBuilt)('the replacement of the service’s executable', () => {
  let folder: ReturnType<typeof emptyFolder>
  let service: UpgradedService
  let running: Bun.Subprocess | undefined
  let url = ''
  let place: { readonly databasePath: string; readonly environment: 'production' }

  const at = (name: string) => join(folder.path, name)
  const backups = () =>
    existsSync(at('data/backups')) ? readdirSync(at('data/backups')).filter((name) => name.endsWith('.db')) : []
  const isAlive = async () => (await fetch(`${url}/healthz`)).status === 200
  const upgradeTo = (file: string) => replace(file, place, service, () => {})
  const failing = (file: string) =>
    upgradeTo(file).then(
      () => 'it did not fail',
      (error: Error) => error.message,
    )

  /** An executable that can be distinguished from the replaced one. */
  function script(name: string, text: string): string {
    writeFileSync(at(name), `#!/bin/sh\n${text}\n`)
    chmodSync(at(name), 0o755)
    return at(name)
  }

  beforeEach(async () => {
    folder = emptyFolder()
    mkdirSync(at('bin'))
    script('bin/petstore', `exec ${executable} "$@" # old`)
    place = { databasePath: at('data/production.db'), environment: 'production' }
    service = { name: 'petstore', executable: at('bin/petstore'), stop, start }
    await start()
  })
  afterEach(async () => {
    await stop()
    folder.remove()
  })

  /** Like the service manager, it waits for the line that a server prints when it is ready. */
  async function start(): Promise<void> {
    const child = Bun.spawn([at('bin/petstore'), 'serve', '--data', at('data'), '--port', '0', '--json'], {
      env: { ...process.env, FAKE: folder.path },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    running = child
    const { value } = await child.stdout.getReader().read()
    if (value) url = (JSON.parse(new TextDecoder().decode(value)) as { readonly url: string }).url
    else
      throw new AppError('conflict', `The service did not start. It said: ${await new Response(child.stderr).text()}`)
  }

  async function stop(): Promise<void> {
    running?.kill('SIGTERM')
    await running?.exited
  }

  /**
   * A command of the shell that gives the database a version which the old one does not support, in byte 60 of its
   * header and the next three.
   */
  const migrate = `printf '\\${(currentVersion + 1).toString(8)}' | dd of="$FAKE/data/production.db" bs=1 seek=63 conv=notrunc 2>/dev/null`

  /** Leaves what an upgrade leaves that is killed before the new executable has started. */
  async function killAfterReplacing(file: string): Promise<void> {
    await stop()
    setUpgradeMark(place.databasePath, backUpBeforeUpgrade(place, Date.now))
    copyFileSync(service.executable, `${service.executable}.previous`)
    copyFileSync(file, service.executable)
  }

  const isOld = () => readFileSync(service.executable, 'utf8').includes('# old')

  test('keeps the old executable and a backup, and the new one serves', async () => {
    const { previous, backup } = await upgradeTo(script('new', `exec ${executable} "$@"`))
    expect([readFileSync(previous, 'utf8').includes('# old'), isOld(), await isAlive()]).toEqual([true, false, true])
    expect([backups(), hasUpgradeMark(place.databasePath)]).toEqual([[backup.split('/').at(-1) ?? ''], false])
  })

  test('puts the old one and the backup back if the new one has migrated the store and does not start', async () => {
    const message = await failing(script('new', `${migrate}\nprintf 'the moon is full.' >&2\nexit 1`))
    expect(message).toBe(
      'The service did not start. It said: the moon is full. Nothing was upgraded or lost: the service runs as before.',
    )
    expect([isOld(), schemaOf(place.databasePath), await isAlive()]).toEqual([true, currentVersion, true])
    expect([backups().length, hasUpgradeMark(place.databasePath)]).toEqual([2, false])
  })

  test.skipIf(!mountDisk.isPossible)(
    'puts the old one back, which serves, where the disk of the data is full by then',
    async () => {
      await stop()
      const disk = mountDisk(at('data'), 8_000_000)
      try {
        await start()
        const filling = `cat /dev/zero >"$FAKE/data/filler" 2>/dev/null\nprintf 'The disk is full' >&2\nexit 1`
        expect(await failing(script('new', filling))).toBe(
          'The service did not start. It said: The disk is full. Nothing was upgraded or lost: the service runs as before.',
        )
        expect([isOld(), await isAlive()]).toEqual([true, true])
      } finally {
        await stop()
        disk.unmount()
      }
    },
  )

  test('never goes back once the new one has admitted requests', async () => {
    const crashing = `if [ -e "$FAKE/admitted" ]; then exec ${executable} "$@"; fi
${executable} "$@" >"$FAKE/out" & server=$!
until [ -s "$FAKE/out" ]; do sleep 0.02; done
touch "$FAKE/admitted"
kill -9 $server
exit 1`
    expect(await failing(script('new', crashing))).toContain(
      'It had admitted requests before, so nothing was put back.',
    )
    expect([isOld(), await isAlive(), backups().length]).toEqual([false, true, 1])
  })

  test('changes nothing if the store can’t be backed up', async () => {
    await stop()
    writeFileSync(at('data/backups'), '')
    const message = await failing(script('new', `exec ${executable} "$@"`))
    expect(message).toContain(
      'The store is not upgraded without a backup: it is unchanged. Nothing was upgraded or lost',
    )
    expect([isOld(), await isAlive(), existsSync(at('bin/petstore.previous'))]).toEqual([true, true, false])
  })

  test('does not go back to the executable before the old one after an upgrade that was killed before its replacement', async () => {
    await stop()
    script('bin/petstore.previous', 'exit 1 # older')
    setUpgradeMark(place.databasePath, 'absent')
    writeFileSync(at('data/backups'), '')
    expect(await failing(script('new', `exec ${executable} "$@"`))).toContain('Nothing was upgraded or lost')
    expect([isOld(), await isAlive()]).toEqual([true, true])
  })

  test('goes back to the backup of an upgrade that was killed after its migration', async () => {
    const file = script('new', 'exit 1')
    await killAfterReplacing(file)
    Bun.spawnSync(['sh', '-c', migrate], { env: { ...process.env, FAKE: folder.path } })
    expect(await failing(file)).toContain('Nothing was upgraded or lost: the service runs as before.')
    expect([isOld(), schemaOf(place.databasePath), await isAlive()]).toEqual([true, currentVersion, true])
  })

  test('continues an upgrade that was killed, and refuses the petstore that is installed already', async () => {
    const file = script('new', `exec ${executable} "$@"`)
    await killAfterReplacing(file)
    await upgradeTo(file)
    expect([readFileSync(`${service.executable}.previous`, 'utf8').includes('# old'), await isAlive()]).toEqual([
      true,
      true,
    ])
    expect(await failing(file)).toBe(`${service.executable} is this petstore already. Nothing was changed.`)
    expect(await isAlive()).toBe(true)
  })
})
