/** Whether the database can be read and written, asked at most once a second however often it is probed. */

import { sql } from 'drizzle-orm'
import type { Clock } from '../lib/clock.ts'
import type { Tables } from './open.ts'
import { readinessProbe } from './table.ts'
import type { Writer } from './writer.ts'

const answerKeptMs = 1_000

const ballastBytes = 65_536

/** A function that resolves if a write reaches the disk, and rejects with the writer's refusal if not. */
export function createReadiness(tables: Tables, writer: Writer, clock: Pick<Clock, 'now' | 'monotonic'>) {
  const probe = tables
    .insert(readinessProbe)
    .values({ id: 1, probedAt: sql.placeholder('probedAt'), ballast: sql`zeroblob(${ballastBytes})` })
    .onConflictDoUpdate({
      target: readinessProbe.id,
      set: { probedAt: sql`excluded.probed_at`, ballast: sql`excluded.ballast` },
    })
    .prepare()
  let answer: Promise<void> | undefined
  let answeredMs = 0
  return (): Promise<void> => {
    if (!answer || clock.monotonic() - answeredMs >= answerKeptMs) {
      answeredMs = clock.monotonic()
      answer = writer.write(() => {
        probe.run({ probedAt: clock.now() })
      })
    }
    return answer
  }
}
