/**
 * The first day of a shop, as in the README, on a machine made from nothing: `serve` to try it, `service install` to
 * run it as a service, a backup of the schedule in a bucket, encrypted, and its restore in an empty directory. Prints
 * each command with its output. Needs root, systemd's namespaces and debootstrap, as the long tests do, and
 * dist/petstore:
 *
 *     . scripts/bun.sh && scripts/build.sh && bun scripts/first-day.ts
 */

import { executable } from '../src/testing/executable.ts'
import { createMachine, until } from '../src/testing/systemd/machine.ts'

const machine = await createMachine()
if (machine === undefined) process.exit(1)

/** Runs commands on the machine and prints them with their output; throws if they fail. */
async function sh(script: string): Promise<string> {
  console.log(`$ ${script}`)
  const { code, out, err } = await onMachine(script)
  process.stdout.write(out + err)
  if (code !== 0) throw new Error(`It exited with ${code}.`)
  return out
}
const onMachine = (script: string) => machine.run(`export PATH="$PATH:/usr/local/bin"; ${script}`)

function assertEqual(found: string, expected: string, what: string): void {
  if (found !== expected) throw new Error(`${what} is not the same: ${found}`)
}

try {
  machine.put(executable, '/home/ada/petstore')
  await machine.boot()
  const bucket = machine.beside(process.execPath, `${import.meta.dir}/../src/operate/backups/away/testing/serve-s3.ts`)
  const { value } = await bucket.stdout.getReader().read()
  const variables = new TextDecoder().decode(value).trim()

  console.log('\n# To try it\n')
  await sh(
    'cd /home/ada && (./petstore serve --json >ready.json 2>log & echo $! >pid) && while [ ! -s ready.json ]; do sleep 0.1; done',
  )
  await sh('cd /home/ada && ./petstore keys create --name Till && ./petstore demo')
  await sh('cd /home/ada && mkdir site && echo Welcome >site/index.html && ./petstore projects create Paws')
  await sh('cd /home/ada && ./petstore deploy site --project paws')
  await sh('cd /home/ada && kill $(cat pid) && while kill -0 $(cat pid) 2>/dev/null; do sleep 0.1; done')

  console.log('\n# To run it as a service\n')
  // The next whole minute that is at least ten seconds away.
  const at = (await sh('date -d "+70 seconds" +%H:%M')).trim()
  const options = `--backup-at ${at} --backup-s3 s3://shop/pets`
  await sh(`cd /home/ada && export ${variables} && ./petstore service install --take-over ${options}`)
  await sh('petstore backup keys create >/root/identity.txt')
  await sh('petstore status')
  const exported = await sh('petstore pets export | sha256sum')
  console.log(`\n# At ${at}\n`)
  await until(async () => (await onMachine('petstore backup list')).out.includes('s3://'), 180_000)
  await sh('petstore backup list')
  // It finds one fault: hosting is off, so that nobody sees the website.
  await sh('petstore doctor || [ $? = 1 ]')
  await sh('systemctl stop petstore')

  console.log('\n# On a new machine\n')
  const away = `export ${variables}; mkdir /home/new && cd /home/new &&`
  await sh(`${away} petstore backup restore s3://shop/pets --identity /root/identity.txt --data data`)
  await sh('cd /home/new && petstore backup confirm && petstore projects list')
  assertEqual(await sh('cd /home/new && petstore pets export | sha256sum'), exported, 'The restored store')
  console.log('\nThe restored store has the same animals.')
  bucket.kill()
} finally {
  await machine.remove()
}
