import { describe, expect, test } from 'bun:test'
import { UsageError } from '../../config/values.ts'
import { withoutSecrets } from './options.ts'
import {
  assertDirectory,
  assertVisible,
  optionsText,
  otherLines,
  readUnit,
  readVariables,
  serviceOf,
  unitText,
} from './unit.ts'

const production = serviceOf('production')
const id = '0123456789abcdef'

describe('the unit', () => {
  test('has the names of its environment, and staging has none of those of production', () => {
    expect(production).toEqual({
      name: 'petstore',
      environment: 'production',
      executable: '/usr/local/bin/petstore',
      unitFile: '/etc/systemd/system/petstore.service',
      optionsFile: '/etc/petstore.env',
      dataDirectory: '/var/lib/petstore',
    })
    const staging = Object.values(serviceOf('staging'))
    expect(Object.values(production).filter((name) => staging.includes(name))).toEqual([])
  })

  test('starts the store with its id in its directory alone, after the disk of that is mounted', () => {
    const unit = unitText(serviceOf('staging', '/srv/shop'), id)
    const lines = unit.split('\n')
    expect(lines).toContain('RequiresMountsFor=/srv/shop')
    expect(lines).toContain('ReadWritePaths=/srv/shop')
    expect(lines).toContain('User=petstore-staging')
    expect(lines).toContain('EnvironmentFile=-/etc/petstore-staging.env')
    expect(lines).toContain(
      `ExecStart=/usr/local/bin/petstore-staging serve --data /srv/shop --environment staging --store-id ${id}`,
    )
  })

  test('notifies systemd when it is ready, restarts after a failure but not with wrong options, and keeps its compiler', () => {
    const unit = unitText(production, id)
    for (const line of [
      'Type=notify',
      'NotifyAccess=all',
      'TimeoutStartSec=15min',
      'Restart=on-failure',
      'RestartSec=5',
      'RestartPreventExitStatus=2',
      'AmbientCapabilities=CAP_NET_BIND_SERVICE',
    ]) {
      expect(unit.split('\n')).toContain(line)
    }
    expect(/\[Unit\][^[]*StartLimitIntervalSec=0\n/.test(unit)).toBe(true)
    expect(unit).not.toMatch(/^(MemoryDenyWriteExecute|WatchdogSec)=/m)
  })

  test('is read as it was written, and another unit is not accepted as one of petstore', () => {
    expect(readUnit(unitText(serviceOf('production', '/srv/shop'), id))).toEqual({
      dataDirectory: '/srv/shop',
      storeId: id,
    })
    expect(readUnit('[Service]\nUser=petstore\nExecStart=/usr/local/bin/petstore serve\n')).toBeUndefined()
  })
})

describe('the data directory of a service', () => {
  test('may be any that the service can own and see', () => {
    for (const path of ['/var/lib/petstore', '/srv/petstore', '/mnt/disk-1/shop.d']) {
      expect(() => assertDirectory(path)).not.toThrow()
    }
    const wrong = ['/', '/srv', '/home/ada/data', '/root/data', '/tmp/x', '/run/x', '/srv/a b', '/srv/%n', '/srv/ä']
    for (const path of [...wrong, `/srv/${'x'.repeat(90)}`]) expect(() => assertDirectory(path)).toThrow(UsageError)
  })

  test('and the files that options name must be visible to it', () => {
    expect(() => assertVisible('platform-cert', '/etc/petstore/cert.pem')).not.toThrow()
    expect(() => assertVisible('platform-cert', '/home/ada/cert.pem')).toThrow(UsageError)
  })
})

describe('the file of options', () => {
  test('can contain any value of one line, and is read as it was written', () => {
    const values = {
      'platform-domain': 'pets.paws.example',
      'trusted-proxy': ['10.0.0.1', '10.0.0.2'],
      'allow-private-addresses': true,
      'smtp-password': `a "b" 'c' \\ $HOME \`d\` #; é`,
    }
    const text = optionsText(production, values, ['TZ=Europe/Berlin'])
    expect(readVariables(text)).toEqual({
      TZ: 'Europe/Berlin',
      PETSTORE_PLATFORM_DOMAIN: 'pets.paws.example',
      PETSTORE_TRUSTED_PROXY: '10.0.0.1,10.0.0.2',
      PETSTORE_ALLOW_PRIVATE_ADDRESSES: 'true',
      PETSTORE_SMTP_PASSWORD: values['smtp-password'],
    })
    expect(() => optionsText(production, { 'acme-email': 'a\nb' }, [])).toThrow(UsageError)
  })

  test('is read as systemd reads it, also after people have edited it', () => {
    const file =
      "# PETSTORE_PORT=1\n; PETSTORE_PORT=2\n  PETSTORE_PORT = 3\nPETSTORE_HOST='::'\n\nPETSTORE_LOG_LEVEL=debug  \nnonsense\n"
    expect(readVariables(file)).toEqual({ PETSTORE_HOST: '::', PETSTORE_LOG_LEVEL: 'debug' })
  })

  test('keeps the lines for other programs', () => {
    const file = '# a comment\nTZ=UTC\nPETSTORE_PORT=80\nPETSTORE_S3_KEY=x\n'
    expect(otherLines(file, ['PETSTORE_PORT'])).toEqual(['TZ=UTC', 'PETSTORE_S3_KEY=x'])
  })

  test('is shown without its secrets', () => {
    const shown = withoutSecrets('PETSTORE_PORT=80\nPETSTORE_SMTP_PASSWORD="a b"\nAWS_SECRET_ACCESS_KEY=abc\n')
    expect(shown).toBe('PETSTORE_PORT=80\nPETSTORE_SMTP_PASSWORD=…\nAWS_SECRET_ACCESS_KEY=…\n')
  })
})
