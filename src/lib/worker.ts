/** Where the modules of threads are found, from the sources and within the executable. */

/**
 * The address for `new Worker` of a module, given by its path below `src/`; `scripts/build.sh` names it, too. Within
 * the executable, `import.meta.url` is a path on the machine that built it, and only such a relative path finds the
 * module (https://bun.sh/docs/bundler/executables#worker).
 */
export function workerAddress(path: string): string {
  return Bun.main.includes('$bunfs') ? `./${path}` : new URL(`../${path}`, import.meta.url).href
}
