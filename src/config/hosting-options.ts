/** Declarations of the options of hosting. `serve` takes all of them; commands take those that they use. */

import { type OptionSpec, type OptionSpecs, repeatable } from './options.ts'

/** The names of the platform, and how the service finds and judges DNS records. */
const dnsOptions = {
  'platform-domain': {
    value: 'NAME|off',
    help: 'turn hosting on: projects are at SLUG.NAME, the API and the dashboard also at api.NAME; a NAME below .localhost, such as shop.localhost, is for trying it out on this machine',
    default: 'off',
  },
  'sites-domain': {
    value: 'NAME',
    help: 'the domain whose subdomains are the projects, to keep them apart from the API',
    default: 'the platform domain',
  },
  'public-address': {
    ...repeatable,
    value: 'IP',
    help: 'a public address of this machine, as DNS records have it; repeatable',
    default: 'those of the platform domain',
  },
  'dns-resolver': {
    ...repeatable,
    value: 'IP[:PORT]',
    help: 'a recursive resolver; repeatable',
    default: "the system's",
  },
  'allow-private-addresses': {
    help: 'accept private and loopback addresses in DNS records, and send queries to them',
    default: 'off',
  },
  'caa-identity': {
    ...repeatable,
    value: 'NAME',
    help: 'the certificate authority that CAA records must allow, such as letsencrypt.org; repeatable',
    default: 'from the directory',
  },
} as const satisfies OptionSpecs

/** The same options for commands, which otherwise use those that `serve` has stored. */
export const storedDnsOptions: OptionSpecs = Object.fromEntries(
  Object.entries<OptionSpec>(dnsOptions).map(([name, spec]) => [
    name,
    { ...spec, default: `as last served, else ${spec.default}` },
  ]),
)

/** The certificate authority. */
const acmeOptions = {
  'acme-directory': {
    value: 'URL',
    help: 'the directory of the certificate authority (RFC 8555)',
    default: "Let's Encrypt, on staging its staging directory",
  },
  'acme-email': { value: 'EMAIL', help: 'the contact address for the certificate authority', default: 'none' },
  'acme-eab-kid': {
    value: 'ID',
    help: 'the key id of the external account binding, if the authority requires one',
    default: 'none',
  },
  'acme-eab-key': {
    value: 'KEY',
    help: 'the key of the external account binding, in base64url; better given as a variable',
    default: 'none',
  },
} as const satisfies OptionSpecs

/** The public listeners. */
const publicOptions = {
  'public-host': { value: 'ADDRESS', help: 'the address of the public listeners; :: is IPv6 and IPv4', default: '::' },
  'http-port': {
    value: 'N',
    help: 'the public port for HTTP; 0 picks a free one',
    default: '80, staging 8082; below .localhost 8088, 8089',
  },
  'https-port': {
    value: 'N|off',
    help: 'the public port for HTTPS; off if a trusted proxy ends TLS',
    default: '443, staging 8443',
  },
  'platform-cert': {
    value: 'FILE',
    help: 'a wildcard certificate of the projects with its chain, in PEM, instead of one for each project; read again when it changes',
    default: 'none',
    path: 'file',
  },
  'platform-key': { value: 'FILE', help: 'the private key of --platform-cert, in PEM', default: 'none', path: 'file' },
} as const satisfies OptionSpecs

export const hostingOptions = {
  ...dnsOptions,
  'platform-domain': { ...dnsOptions['platform-domain'], default: 'as last served, else off' },
  ...publicOptions,
  ...acmeOptions,
} as const satisfies OptionSpecs
