/** The commands with a bucket, as the executable runs them: on the old machine and on a new one. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { defaultKeep } from '../../config/backups.ts'
import { createIssuer } from '../../hosting/certificates/testing/issuer.ts'
import { copyBackups } from '../../operate/backups/away/copy.ts'
import { createAgeKeys } from '../../operate/backups/away/encryption.ts'
import { startS3Server, type TestS3Server } from '../../operate/backups/away/testing/s3-server.ts'
import { createStoreWithSite, noon, type StoreWithSite } from '../../operate/backups/away/testing/store-with-site.ts'
import { isBuilt, type PetstoreProcess, runPetstore, startPetstoreProcess } from '../../testing/executable.ts'

let store: StoreWithSite
let server: TestS3Server
let served: PetstoreProcess | undefined
/** The name of the backup that is in the bucket. */
let name: string
beforeEach(async () => {
  server = await startS3Server()
  store = createStoreWithSite(['<h1>Kiosk</h1>', 'alert(1)'])
  name = basename(store.backUp())
})
afterEach(async () => {
  await served?.kill()
  served = undefined
  await server.stop()
  store.folder.remove()
})

const copy = (recipients: readonly string[] = []) =>
  copyBackups({ ...store.place, bucket: server.bucket, recipients, keep: defaultKeep, nowMs: noon }, () => {})
const petstore = (args: string, env: Readonly<Record<string, string>> = server.variables) =>
  runPetstore(args.split(' '), { cwd: store.folder.path, env })

describe.skipIf(!isBuilt)('a bucket', () => {
  test('is all that a new machine needs: one command creates its store, which waits for the owner', async () => {
    const keys = await createAgeKeys()
    await copy([keys.recipient])
    writeFileSync(join(store.folder.path, 'identity.txt'), `${keys.identity}\n`)
    const before = readdirSync(store.folder.path)
    writeFileSync(join(store.folder.path, 'data/other.txt'), `${(await createAgeKeys()).identity}\n`)
    const nowhere = { ...server.variables, PETSTORE_S3_ENDPOINT: 'http://127.0.0.1:9' }
    for (const [identity, env, reason] of [
      ['data/other.txt', server.variables, 'it is encrypted for another identity'],
      ['identity.txt', nowhere, 'cannot be reached'],
    ] as const) {
      const failed = await petstore(`backup restore s3://shop/pets --identity ${identity} --data new`, env)
      expect([failed.code, failed.err]).toEqual([1, expect.stringContaining(reason)])
    }
    expect(readdirSync(store.folder.path)).toEqual(before)
    const restored = await petstore('backup restore s3://shop/pets --identity identity.txt --data new --json')
    expect([restored.code, restored.err]).toEqual([0, expect.stringContaining('Created a new store: ')])
    expect(JSON.parse(restored.out)).toMatchObject({ previous: null, isHeld: true, damagedFiles: 0 })
    expect(basename(JSON.parse(restored.out).file)).toBe(name)
    served = await startPetstoreProcess(['--data', 'new'], { cwd: store.folder.path })
    expect((await petstore('backup confirm --data new')).out).toStartWith('This machine runs the store now')
    expect((await petstore('backup verify s3://shop/pets --identity identity.txt')).out).toContain('is undamaged')
  })

  test('is listed with the backups here by a server that has its keys, and a list without it says so', async () => {
    await copy()
    const env = { ...server.variables, PETSTORE_BACKUP_S3: 's3://shop/pets' }
    served = await startPetstoreProcess([], { cwd: store.folder.path, env })
    const listed = JSON.parse((await petstore('backup list --json', {})).out)
    expect(listed.map(({ file }: { file: string }) => file)).toEqual([
      join(store.folder.path, 'data/backups', name),
      `s3://shop/pets/${name}`,
    ])
    expect((await petstore('backup list', {})).out).toContain(`s3://shop/pets/${name}\n`)
    server.set('refuse')
    const { code, out, err } = await petstore('backup list', {})
    expect([code, out]).toEqual([0, expect.stringContaining(name)])
    expect(err).toContain('warning: the copies in the bucket are not listed. The bucket s3://shop at http://127.0.0.1:')
    await served.stop()
    expect(await served.errors).toContain('backups leave this machine unencrypted')
  })

  test('without keys, with wrong ones, without a backup and with a wrong address says what to do, and nothing is made', async () => {
    const before = readdirSync(store.folder.path)
    const fails = async (args: string, env?: Record<string, string>) => {
      const { code, out, err } = await petstore(args, env)
      expect(out).toBe('')
      return `${code} ${err}`
    }
    expect(await fails('backup verify s3://shop/pets', {})).toContain(
      '2 petstore: There are no keys for s3://shop/pets',
    )
    expect(await fails('backup restore s3://shop/pets --data new', {})).toStartWith('2 petstore: There are no keys')
    expect(await fails('backup verify s3://')).toStartWith('2 petstore: A bucket must be s3://BUCKET/PREFIX')
    expect(await fails('backup verify s3://shop/pets')).toStartWith(
      '1 petstore: There is no complete backup of production',
    )
    const wrong = { ...server.variables, PETSTORE_S3_SECRET_ACCESS_KEY: 'a wrong secret' }
    expect(await fails('backup verify s3://shop/pets', wrong)).toContain('refuses the secret access key')
    expect(await fails('backup verify s3://shop/pets', wrong)).not.toContain('a wrong secret')
    expect(await fails('serve --backup-s3 s3://shop', {})).toStartWith(
      '2 petstore: --backup-s3 needs the keys of the bucket',
    )
    expect(await fails('serve --backup-recipient AGE-SECRET-KEY-1ABC', {})).not.toContain('1ABC')
    expect(await fails('serve --backup-recipient age1abc', {})).toStartWith('2 petstore: --backup-recipient must be')
    expect(await fails('backup keys list', {})).toStartWith('2 ')
    expect(readdirSync(store.folder.path)).toEqual(before)
  })

  test('takes the names of the AWS variables, and the keys that were entered in the settings', async () => {
    await copy()
    const { accessKeyId, secretAccessKey, endpoint = '' } = server.bucket
    const aws = {
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      AWS_ENDPOINT_URL_S3: endpoint,
      AWS_REGION: 'us-east-1',
    }
    expect((await petstore('backup verify s3://shop/pets', aws)).code).toBe(0)
    const path = join(store.folder.path, 'data/production-secrets.json')
    writeFileSync(path, JSON.stringify({ 'bucket of backups': JSON.stringify(server.bucket) }))
    expect((await petstore(`backup verify s3://shop/pets/${name}`, {})).code).toBe(0)
    expect((await petstore('backup verify s3://other/pets', {})).code).toBe(2)
  })

  test('whose certificate is for another name is named as such', async () => {
    const { root, server: certify } = await createIssuer('Bucket test CA')
    const { cert, key } = await certify(['localhost'])
    writeFileSync(join(store.folder.path, 'root.pem'), root)
    using other = Bun.serve({ port: 0, tls: { cert, key }, fetch: () => new Response('a page') })
    const endpoint = `https://127.0.0.1:${other.port}`
    const env = { NODE_EXTRA_CA_CERTS: join(store.folder.path, 'root.pem'), PETSTORE_S3_ENDPOINT: endpoint }
    expect((await petstore('backup verify s3://shop/pets', { ...server.variables, ...env })).err).toContain(
      `The bucket s3://shop at ${endpoint} has a certificate for another name: enter the name that the service states.`,
    )
  })

  test('is listed from the settings alone after the store has lost its database', async () => {
    await copy()
    const path = (file: string) => join(store.folder.path, 'data', file)
    writeFileSync(
      path('production-secrets.json'),
      JSON.stringify({ 'bucket of backups': JSON.stringify(server.bucket) }),
    )
    rmSync(path('production.db'))
    const { code, out, err } = await petstore('backup list --json', {})
    expect([code, err]).toEqual([0, expect.stringContaining('production.db is missing, but its backups')])
    const files = (JSON.parse(out) as { file: string }[]).map(({ file }) => file)
    expect(files.toSorted()).toEqual([path(`backups/${name}`), `s3://shop/pets/${name}`])
  })

  test('is encrypted after "backup keys create", which prints the identity once and keeps its public part alone', async () => {
    const { identity, recipient } = JSON.parse((await petstore('backup keys create --json', {})).out)
    const kept = readFileSync(join(store.folder.path, 'data/production-secrets.json'), 'utf8')
    expect([kept.includes(recipient), kept.includes(identity)]).toEqual([true, false])
    const { out } = await petstore('backup keys create', {})
    expect(out).toMatch(/^AGE-SECRET-KEY-1[A-Z0-9]{58}\n/)
    // The whole output is the file of an identity: for age, too.
    expect(out.split('\n').filter((line, i) => i > 0 && !/^(#|$)/.test(line))).toEqual([])
    expect((await petstore('backup keys create --data nowhere', {})).code).toBe(1)
  })
})
