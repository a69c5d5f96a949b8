/** The imports until now, the newest first. */

import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api, bodyOf, type Schemas } from '../../api/client.ts'
import { countOf } from '../../ui/format.ts'
import { Moment } from '../../ui/moment.tsx'
import { Section } from '../../ui/page.tsx'
import { UndoImport } from './undo-import.tsx'

const shownImports = 20

export function Imports() {
  const { data } = useQuery({
    queryKey: ['imports'],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/imports', { params: { query: { order: 'desc', limit: shownImports } }, signal })),
    meta: { topics: ['imports'] },
  })
  if (data === undefined || data.length === 0) return null
  return (
    <Section title="Earlier imports">
      <ul className="imports">
        {data.map((one) => (
          <li key={one.id}>
            <div>
              <strong>{one.fileName ?? `Import ${one.id}`}</strong>
              <div className="quiet">
                <Moment time={one.createdAt} />, {stateOf(one)}
              </div>
            </div>
            {one.state === 'completed' && one.imported > 0 && <UndoImport id={one.id} fileName={one.fileName} />}
          </li>
        ))}
      </ul>
    </Section>
  )
}

function stateOf({ state, imported, undoneAt }: Schemas['Import']): ReactNode {
  if (state === 'running') return 'running'
  if (state === 'undoing') return 'being undone'
  if (undoneAt === null) return countOf(imported, 'animal')
  return (
    <>
      undone <Moment time={undoneAt} />
    </>
  )
}
