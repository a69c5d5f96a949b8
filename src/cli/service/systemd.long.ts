/** The service on a machine with a real systemd, from its installation to its end. */

import { afterAll, describe, expect, test } from 'bun:test'
import { currentVersion } from '../../database/migrate.ts'
import { executable, isBuilt } from '../../testing/executable.ts'
import { createMachine, until } from '../../testing/systemd/machine.ts'

const machine = isBuilt ? await createMachine() : undefined
afterAll(async () => await machine?.remove())

/** Runs a script; throws if it fails. */
async function sh(script: string): Promise<string> {
  const { code, out, err } = (await machine?.run(script)) ?? { code: 1, out: '', err: '' }
  if (code !== 0) throw new Error(`${script} failed with ${code}: ${out}${err}`)
  return out
}

async function failing(script: string): Promise<string> {
  const { code, err } = (await machine?.run(script)) ?? { code: 0, err: '' }
  expect([script, code]).toEqual([script, 1])
  return err
}

/** Restarts the service, which fails; returns the end of its log. */
async function failingRestart(): Promise<string> {
  await failing('systemctl restart petstore')
  return await sh('journalctl --sync && journalctl --unit petstore --lines 20 --output cat')
}

const propertyOf = async (name: string, unit = 'petstore') =>
  (await sh(`systemctl show --value --property=${name} ${unit}`)).trim()
const isActive = (unit = 'petstore') => until(async () => (await propertyOf('ActiveState', unit)) === 'active')
const animals = async () => JSON.parse(await sh('petstore pets export --json 2>/dev/null')).length

describe.skipIf(machine === undefined)('the service on a machine with systemd', () => {
  test('is installed with the store of ./data, which stays as it is, and starts', async () => {
    machine?.put(executable, '/home/ada/petstore')
    await machine?.boot()
    await sh('cd /home/ada && ./petstore demo')
    const before = await sh('cd /home/ada && sha256sum data/production.db')
    expect(await failing('cd /home/ada && ./petstore service install')).toContain('Add --take-over')
    const shown = await sh('cd /home/ada && ./petstore service install --dry-run --port 8090')
    expect(shown).toContain('PETSTORE_PORT=8090')
    expect(await sh('ls /var/lib /etc /usr/local/bin')).not.toContain('petstore')

    const installed = await sh('cd /home/ada && ./petstore service install --take-over --port 8090')
    expect(installed).toContain('/etc/systemd/system/petstore.service  is written')
    expect(installed).toContain('sudo journalctl -u petstore\n')
    expect(installed).toContain('http://127.0.0.1:8090/dashboard/setup#token=')
    expect(installed).toContain('mv /home/ada/data /home/ada/data-before-service')
    expect(await sh('cd /home/ada && sha256sum data/production.db')).toBe(before)
    expect(await sh('stat -c "%a %U" /var/lib/petstore /var/lib/petstore/production.db /etc/petstore.env')).toBe(
      '700 petstore\n600 petstore\n600 root\n',
    )
    expect([await propertyOf('ActiveState'), await propertyOf('UnitFileState')]).toEqual(['active', 'enabled'])
    expect(await sh('petstore health --port 8090')).toContain('petstore is alive')
  })

  test('is rated as well confined by systemd-analyze', async () => {
    const report = await sh('systemd-analyze security --no-pager petstore.service')
    const exposure = Number(/Overall exposure level for petstore.service: ([\d.]+)/.exec(report)?.[1])
    console.log(`systemd-analyze security: ${exposure}`)
    expect(exposure).toBeLessThanOrEqual(2)
  })

  test('may listen on ports below 1024, and makes backups in a separate process', async () => {
    await sh('petstore service install --port 80')
    expect(await sh('petstore health --port 80')).toContain('petstore is alive')
    await sh('petstore backup create')
    await sh('petstore service install --port 8090')
  })

  test('is the store of commands in any directory, and only root may use it', async () => {
    expect(await animals()).toBe(300)
    const { err } = (await machine?.run('petstore keys list')) ?? { err: '' }
    expect(err).toBe('petstore: The store is that of the service petstore, in /var/lib/petstore.\n')
    const here = (await machine?.run('cd /home/ada && petstore keys list')) ?? { err: '' }
    expect(here.err).toContain('The store is in /home/ada/data, not that of the service')
    expect(await failing('runuser -u nobody -- petstore keys list')).toContain('Run it with sudo')
    expect(await failing('runuser -u nobody -- petstore service uninstall')).toContain('Run: sudo petstore')
    expect(JSON.parse(await sh('petstore status --json'))).toMatchObject({ running: true, folder: '/var/lib/petstore' })
    expect(await sh('journalctl -u petstore')).toContain('is running (production)')
  })

  test('is restarted when it is killed', async () => {
    const pid = await propertyOf('MainPID')
    await sh(`kill -KILL ${pid}`)
    await until(async () => (await propertyOf('NRestarts')) === '1')
    await isActive()
    expect(await propertyOf('MainPID')).not.toBe(pid)
    expect(await animals()).toBe(300)
  })

  test('is not restarted with wrong options, and says what is wrong', async () => {
    await sh('echo PETSTORE_PORT=nonsense >>/etc/petstore.env')
    expect(await failingRestart()).toContain('--port must be a whole number')
    expect([await propertyOf('ActiveState'), await propertyOf('NRestarts')]).toEqual(['failed', '0'])
    await sh('petstore service install --port 8090')
    await isActive()
  })

  test('neither creates a new store where the disk is not mounted nor serves another store, and starts once its own store is there', async () => {
    await sh('systemctl stop petstore && mv /var/lib/petstore /var/disk')
    await sh('install -d -m 700 -o petstore -g petstore /var/lib/petstore')
    expect(await failingRestart()).toContain('is its disk mounted?')
    expect(await failing('petstore backup restore shop.db')).toContain('backup restore FILE --data /var/lib/petstore')
    expect(await failing('petstore service install')).toContain('is its disk mounted?')
    expect(await sh('ls /var/lib/petstore')).toBe('')
    await sh('systemctl stop petstore && cd /var/lib && petstore demo --data petstore')
    expect(await failingRestart()).toContain('is the right disk mounted?')
    expect(await propertyOf('Result')).toBe('exit-code')
    await sh('mount --bind /var/disk /var/lib/petstore')
    await isActive()
    expect(await animals()).toBe(300)
  })

  test('waits for a disk that systemd mounts', async () => {
    await sh('systemctl stop petstore && umount /var/lib/petstore && rm -r /var/lib/petstore')
    // The disk is there once /plugged is: "good", or one that can't be mounted. By default it would come after every
    // mount at a boot, also after the one that needs it: systemd leaves one of both out then.
    await sh(`cat >/etc/systemd/system/disk.service <<'END'
[Unit]
DefaultDependencies=no
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'until [ -e /plugged ]; do sleep 0.1; done; grep good /plugged'
END
cat >/etc/systemd/system/var-lib-petstore.mount <<'END'
[Unit]
Requires=disk.service
After=disk.service
[Mount]
What=/var/disk
Where=/var/lib/petstore
Options=bind
END
systemctl daemon-reload`)
    await sh('systemctl start --no-block petstore')
    await until(async () => (await propertyOf('ActiveState', 'disk')) === 'activating')
    expect(await propertyOf('ActiveState')).toBe('inactive')
    await sh('echo good >/plugged')
    await isActive()
    expect(await animals()).toBe(300)

    await sh('echo broken >/plugged && systemctl stop var-lib-petstore.mount')
    expect(await propertyOf('ActiveState')).toBe('inactive')
    expect(await failing('systemctl restart petstore')).toContain('A dependency job')
    await sh('systemctl add-wants --quiet var-lib-petstore.mount petstore.service')
    await sh('echo good >/plugged && systemctl start var-lib-petstore.mount')
    await isActive()
  })

  test('starts with the machine, also after a power cut', async () => {
    const issued = JSON.parse(await sh('petstore keys create --name Till --json'))
    await machine?.cut()
    await machine?.boot()
    await isActive()
    expect(JSON.parse(await sh('petstore keys list --json'))).toContainEqual(expect.objectContaining({ id: issued.id }))
  })

  test('rejects a directory with other files, and leaves it unchanged', async () => {
    await sh('mkdir /srv/www && touch /srv/www/index.html')
    const install = 'petstore service install --environment staging --data /srv/www'
    expect(await failing(install)).toContain('/srv/www has other files, such as index.html')
    expect(await sh('stat -c "%a %U" /srv/www')).toBe('755 root\n')
    expect(await sh('cat /etc/passwd')).not.toContain('petstore-staging')
  })

  test('has staging beside it, with nothing in common', async () => {
    await sh('petstore service install --environment staging')
    expect(await sh('petstore health --port 8081')).toContain('petstore is alive')
    const { key } = JSON.parse(await sh('petstore keys create --name Till --json --environment staging'))
    expect(key).toStartWith('pet_test_')
    expect(await sh('ls /var/lib/petstore-staging')).toContain('staging.db')
    expect(await propertyOf('ActiveState')).toBe('active')
    await sh('petstore service uninstall --environment staging')
    expect(await propertyOf('ActiveState')).toBe('active')
  })

  test('is updated by a second installation, which keeps its store and its options', async () => {
    const pid = await propertyOf('MainPID')
    await sh('install -d -m 700 -o petstore /var/lib/petstore/.production.db-litestream')
    await sh('touch /var/lib/petstore/animals.csv')
    const result = JSON.parse(await sh('/home/ada/petstore service install --json'))
    expect(result).toMatchObject({ service: 'petstore', store: 'kept', from: null })
    expect(await propertyOf('MainPID')).not.toBe(pid)
    expect(await sh('petstore health --port 8090')).toContain('petstore is alive')
    expect(await animals()).toBe(300)
  })

  test('gets the files of its store back from root by another installation, which follows no symbolic link', async () => {
    await sh('systemctl stop petstore && cd /var/lib/petstore')
    await sh(
      'cd /var/lib/petstore && chown root:root production.db backups backups/*.db && ln -s /etc/hostname production-link',
    )
    expect(await failingRestart()).toMatch(
      /its owner is the user 0 and its mode 600\..* run: sudo petstore service install/,
    )
    expect((await machine?.run('petstore doctor'))?.out).toContain('✗ Data directory   /var/lib/petstore/')
    await sh('petstore service install')
    expect(await sh('stat -c %U /var/lib/petstore/production.db /var/lib/petstore/backups/*.db /etc/hostname')).toMatch(
      /^(petstore\n)+root\n$/,
    )
    await sh('rm /var/lib/petstore/production-link')
    expect(await sh('petstore doctor')).toContain('✓ Data directory')
    expect(await animals()).toBe(300)
  })

  test('is not updated to a petstore that is too old for its store', async () => {
    const setVersion = (version: number) =>
      sh(
        `printf '\\${version.toString(8)}' | dd of=/var/lib/petstore/production.db bs=1 seek=63 conv=notrunc status=none`,
      )
    await sh('systemctl stop petstore')
    await setVersion(currentVersion + 1)
    expect(await failing('/home/ada/petstore service install')).toContain('run the newer petstore')
    expect(await propertyOf('ActiveState')).toBe('inactive')
    await setVersion(currentVersion)
    await sh('systemctl restart petstore')
  })

  test('is uninstalled without its data, and uses it again when reinstalled', async () => {
    const uninstalled = await sh('rm /var/lib/petstore/animals.csv && petstore service uninstall')
    expect(uninstalled).toContain('/var/lib/petstore  the store and its backups')
    expect(await propertyOf('LoadState')).toBe('not-found')
    expect(await failing('petstore service uninstall')).toContain('There is no service petstore yet')
    expect(await sh('ls /var/lib/petstore')).toContain('production.db')
    await sh('petstore service install')
    expect(await animals()).toBe(300)
    expect(await sh('petstore health --port 8090')).toContain('petstore is alive')
  })
})
