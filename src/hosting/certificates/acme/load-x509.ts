/** Loads the library for X.509, whose dependency expects reflection metadata to be defined before it. */

export async function loadX509(): Promise<typeof import('./x509.ts')> {
  await import('reflect-metadata')
  return import('./x509.ts')
}
