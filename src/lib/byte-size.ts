/** Formats the size of a file or a disk, as the dashboard does (`web/dashboard/ui/format.ts`). */

const units = ['bytes', 'kB', 'MB', 'GB', 'TB']

/** Bytes in decimal units: `41.3 MB`. */
export function byteSize(bytes: number): string {
  if (bytes === 1) return '1 byte'
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1)
  const value = bytes / 1000 ** power
  const digits = power === 0 || value >= 100 ? 0 : 1
  return `${value.toLocaleString('en', { maximumFractionDigits: digits })} ${units[power]}`
}
