/** Compares the totals that the service keeps with the records that they count. */

import type { Database } from 'bun:sqlite'

interface Total {
  /** What is wrong, as part of a sentence. */
  readonly fault: string
  /**
   * Rows of a group and a number: positive as it is counted, negative as it is kept. The numbers of a group have the
   * sum 0.
   */
  readonly sql: string
}

const day = 86_400_000

const totals: readonly Total[] = [
  {
    fault: 'the counts of animals are wrong',
    sql: `SELECT category_id || status AS part, count(*) AS number FROM pets GROUP BY category_id, status
      UNION ALL SELECT '0' || status, count(*) FROM pets GROUP BY status
      UNION ALL SELECT category_id || status, -animals FROM pet_totals`,
  },
  {
    fault: 'the counts of orders are wrong',
    sql: `SELECT account_id || status AS part, count(*) AS number FROM orders GROUP BY account_id, status
      UNION ALL SELECT '-1' || status, count(*) FROM orders GROUP BY status
      UNION ALL SELECT account_id || status, -orders FROM order_totals`,
  },
  {
    fault: 'the orders of a day are counted wrong',
    sql: `SELECT 'placed ' || (created_at / ${day}) AS part, count(*) AS number FROM orders GROUP BY 1
      UNION ALL SELECT 'delivered ' || (delivered_at / ${day}), count(*) FROM orders WHERE status = 'delivered' GROUP BY 1
      UNION ALL SELECT 'placed ' || day, -placed FROM order_days
      UNION ALL SELECT 'delivered ' || day, -delivered FROM order_days`,
  },
  {
    fault: 'the uses of contents of websites are counted wrong',
    sql: `SELECT account_id || hex(hash) AS part, count(*) AS number
        FROM deploy_files JOIN deploys ON deploys.id = deploy_id GROUP BY account_id, hash
      UNION ALL SELECT account_id || hex(hash), -uses FROM account_contents`,
  },
  {
    fault: 'the space that websites use is counted wrong',
    sql: `SELECT account_id AS part, sum(size) AS number FROM account_contents GROUP BY account_id
      UNION ALL SELECT account_id, -bytes FROM account_storage`,
  },
]

/** What is wrong with the totals, as parts of a sentence; empty if nothing is. */
export function wrongTotals(database: Database): string[] {
  return totals.flatMap(({ fault, sql }) => {
    // One statement reads the records and the totals of one moment.
    const found = database.query(`SELECT part FROM (${sql}) GROUP BY part HAVING sum(number) <> 0 LIMIT 1`).get()
    return found ? [fault] : []
  })
}
