/** The days of this time zone, as a field of dates writes them, and the times of the API. */

/** The last day that a field offers: the year of a time has four digits (RFC 3339). */
export const lastDay = '9999-12-31'

/** The first moment of a day; undefined for a text that is no day. */
export const startOfDay = (day: string): string | undefined => timeOf(day, '00:00:00.000')

/** The last moment of a day; undefined for a text that is no day. */
export const endOfDay = (day: string): string | undefined => timeOf(day, '23:59:59.999')

function timeOf(day: string, time: string): string | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return undefined
  const moment = Date.parse(`${day}T${time}`)
  // West of Greenwich, the last day ends in the year 10000.
  return Number.isNaN(moment)
    ? undefined
    : new Date(Math.min(moment, Date.parse(`${lastDay}T23:59:59.999Z`))).toISOString()
}
