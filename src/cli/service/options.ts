/** The options of a service: those of `serve` that it may have, kept in a file of variables that only root reads. */

import { readFileSync } from 'node:fs'
import { serveConfig } from '../../config/config.ts'
import type { OptionSpec, OptionSpecs } from '../../config/options.ts'
import { readOptions, variableOf } from '../../config/read.ts'
import { serveOptions } from '../../config/serve-options.ts'
import type { OptionValues } from '../../config/values.ts'
import { AppError } from '../../lib/error.ts'
import { codeOf, systemReason } from '../../lib/system-error.ts'
import { assertVisible, optionsText, otherLines, readVariables, type Service } from './unit.ts'

/** The rest is for tests, is in the unit, or is done by the journal. */
const {
  ephemeral,
  key,
  clock,
  'exit-with-parent': exitWithParent,
  'store-id': storeId,
  'log-file': logFile,
  new: isNew,
  ...rest
} = serveOptions
export const serviceOptions: OptionSpecs = rest

/** They are kept when other options are given. */
const secrets = [
  ...Object.entries<OptionSpec>(serviceOptions).flatMap(([name, { isVariableOnly }]) => (isVariableOnly ? [name] : [])),
  'acme-eab-kid',
  'acme-eab-key',
]

/**
 * The options with which the service is installed: the given ones, or without any its present ones. `text` is that of
 * the file of options, and `dropped` has those that it no longer has, as `--name`. Throws `UsageError` if they do not
 * fit together, and `storage_unavailable` if the file can't be read.
 */
export function chooseOptions(service: Service, values: OptionValues) {
  const file = readOptionsFile(service)
  const before = readOptions(serviceOptions, [], readVariables(file)).values
  const given = ownOptions(values)
  const isGiven = Object.keys(given).some((name) => !secrets.includes(name))
  const stays = ([name]: [string, unknown]) => !isGiven || secrets.includes(name)
  const options = { ...Object.fromEntries(Object.entries(before).filter(stays)), ...given }
  const { dataDirectory: data, environment } = service
  const { hosting, mail } = serveConfig({ ...options, data, environment })
  const paths = {
    'platform-cert': hosting?.platformCert,
    'platform-key': hosting?.platformKey,
    'smtp-password-file': mail?.passwordFile,
  }
  const absolute: Record<string, string> = {}
  for (const [name, path] of Object.entries(paths)) {
    if (path === undefined) continue
    assertVisible(name, path)
    absolute[name] = path
  }
  const kept = otherLines(file, Object.keys(serviceOptions).map(variableOf))
  return {
    text: optionsText(service, { ...options, ...absolute }, kept),
    dropped: Object.keys(before).flatMap((name) => (Object.hasOwn(options, name) ? [] : [`--${name}`])),
  }
}

const ownOptions = (values: OptionValues): OptionValues =>
  Object.fromEntries(Object.entries(values).filter(([name]) => Object.hasOwn(serviceOptions, name)))

function readOptionsFile({ optionsFile }: Service): string {
  try {
    return readFileSync(optionsFile, 'utf8')
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return ''
    const advice = codeOf(cause) === 'EACCES' ? ' Run it with sudo.' : ''
    throw new AppError('storage_unavailable', `${optionsFile} can't be read: ${systemReason(cause)}.${advice}`, {
      cause,
    })
  }
}

/** The same text without the values of secrets, to be shown. */
export function withoutSecrets(text: string): string {
  return text.replaceAll(/^(\s*\w*(?:PASSWORD|SECRET|TOKEN|KEY|KEY_ID)=).+$/gm, '$1…')
}
