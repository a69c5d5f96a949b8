/**
 * `petstore domains check HOST`: diagnoses the DNS of any name. Needs no store and no project, but uses the options of
 * a store.
 */

import { storeConfig } from '../../config/config.ts'
import { storedDnsOptions } from '../../config/hosting-options.ts'
import { type OptionSpecs, repeatable } from '../../config/options.ts'
import { type DomainCheck, diagnose, optionOf } from '../../hosting/domains/checks/diagnose.ts'
import { AppError } from '../../lib/error.ts'
import { printable } from '../../lib/log.ts'
import { withClient } from '../client/client.ts'
import { storeExists } from '../client/local.ts'
import type { Command, Invocation } from '../command.ts'
import { print } from '../terminal/output.ts'
import { describeReport } from './domains-report.ts'

/** The resolvers to use, and the records that the platform expects of a domain. */
const checkOptions = {
  ...storedDnsOptions,
  'cname-target': {
    ...repeatable,
    value: 'NAME',
    help: 'the name that the CNAME must have as its value; repeatable',
    default: 'that of the project, or any below edge. of the platform domain',
  },
} as const satisfies OptionSpecs

export const domainsCheck: Command = {
  name: 'domains check',
  summary: 'check the DNS of a domain and say how to fix it',
  details:
    'Queries every name server of the domain and each resolver, and changes nothing. The server makes the check. If the name ' +
    'leads here, it also fetches a page over HTTP from the public addresses. Any name can be checked: for a domain of a ' +
    'project, it checks the records of that project. Options that are given replace those of the server, or, without a server, those ' +
    'with which the store was last served. Without a store the command makes the check itself, with the options alone. Without ' +
    'a platform domain it does not check where the domain leads. It takes at most 15 seconds and exits with 1 if there ' +
    'is a fault. The terms are explained in docs/guide/dns.md.',
  operands: 'HOST',
  arity: [1, 1],
  options: checkOptions,
  examples: [
    'domains check www.shop.example',
    'domains check shop.example --platform-domain stores.example --json',
    'domains check www.shop.example --dns-resolver 1.1.1.1 --caa-identity letsencrypt.org',
  ],
  async run(invocation: Invocation) {
    const { positionals, terminal } = invocation
    const check = await checkBy(invocation, positionals[0] ?? '')
    if (check.platformDomain !== null && check.publicAddresses.length === 0) {
      terminal.err(
        `petstore: The addresses of ${check.platformDomain} are not known: it has none, or the lookup of A or AAAA fails. Whether an address leads here is not checked.\n`,
      )
    }
    if (check.routing === 'verified' && !check.isProbed) {
      terminal.err('petstore: No server with hosting runs here. Whether port 80 leads to it is not checked.\n')
    }
    print(invocation, check, describeReport(check, terminal))
    return check.findings.some(({ severity }) => severity === 'error') ? 1 : 0
  },
}

/**
 * Asks the service, which knows its options and domains. Without a store the options of the command line are all there
 * is.
 */
async function checkBy(invocation: Invocation, hostname: string): Promise<DomainCheck> {
  const { values, terminal, remote } = invocation
  const here = () => diagnose(hostname, values, { cnameTokens: [] })
  const given = Object.entries(optionOf).flatMap(([member, option]) => {
    const value = values[option]
    return value === undefined || value === false ? [] : [[member, value] as const]
  })
  const request = { hostname, ...Object.fromEntries(given) }
  try {
    if (!remote && !storeExists(storeConfig(values))) return await here()
    return await withClient(invocation, (client) => client.call<DomainCheck>('POST', '/domains/check', request))
  } catch (error) {
    // A store that can't be used is no reason not to check a name.
    if (remote || !(error instanceof AppError && /^(storage_unavailable|conflict)$/.test(error.code))) throw error
    terminal.err(`petstore: The saved options of hosting are not used. ${printable(error.message)}\n`)
    return await here()
  }
}
