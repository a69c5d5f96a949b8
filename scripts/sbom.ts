/**
 * Prints the software bill of materials of the executable, in the JSON form of CycloneDX 1.6, and checks it against its
 * schema.
 */

import { Database } from 'bun:sqlite'
import { Factories } from '@cyclonedx/cyclonedx-library/Contrib/License'
import { ComponentType } from '@cyclonedx/cyclonedx-library/Enums'
import { Bom, Component, Metadata } from '@cyclonedx/cyclonedx-library/Models'
import { JSON as Json, JsonSerializer } from '@cyclonedx/cyclonedx-library/Serialize'
import { Spec1dot6 } from '@cyclonedx/cyclonedx-library/Spec'
import { JsonStrictValidator } from '@cyclonedx/cyclonedx-library/Validation'
import parseSpdx from 'spdx-expression-parse'
import manifest from '../package.json' with { type: 'json' }
import { bundledPackages } from './licenses.ts'

const [commit = ''] = process.argv.slice(2)
const licenses = new Factories.LicenseFactory(parseSpdx)

function component(type: ComponentType, name: string, version: string, purl: string, license?: string): Component {
  const bomRef = purl
  const made = new Component(type, name, { version, purl, bomRef })
  if (license !== undefined) made.licenses.add(licenses.makeFromString(license))
  return made
}

const sqlite = new Database(':memory:').query('SELECT sqlite_version()').values()[0]?.[0] as string
const version = commit === '' ? manifest.version : `${manifest.version}+${commit}`
const petstore = component(
  ComponentType.Application,
  'petstore',
  version,
  `pkg:generic/petstore@${encodeURIComponent(version)}`,
  manifest.license,
)
const parts = [
  component(ComponentType.Platform, 'bun', Bun.version, `pkg:npm/bun@${Bun.version}`),
  component(ComponentType.Library, 'sqlite', sqlite, `pkg:generic/sqlite@${sqlite}`),
  ...bundledPackages().map(({ name, version, license }) =>
    component(ComponentType.Library, name, version, `pkg:npm/${name.replace('@', '%40')}@${version}`, license),
  ),
]

const bom = new Bom({ metadata: new Metadata({ component: petstore }) })
for (const part of parts) {
  bom.components.add(part)
  petstore.dependencies.add(part.bomRef)
}
const text = new JsonSerializer(new Json.Normalize.Factory(Spec1dot6)).serialize(bom, { sortLists: true, space: 2 })
const fault = await new JsonStrictValidator(Spec1dot6.version).validate(text)
if (fault !== null) throw new Error(`The bill of materials is not valid: ${JSON.stringify(fault)}`)
console.log(text)
