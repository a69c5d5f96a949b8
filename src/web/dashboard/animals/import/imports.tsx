/** The earlier imports, the newest first, and the button that undoes one. */

import { Box, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api, bodyOf, type Schemas } from '../../api/client.ts'
import { refreshShown } from '../../api/queries.ts'
import { ConfirmButton } from '../../ui/form.tsx'
import { countOf, formatNumber, isolated } from '../../ui/format.ts'
import { Moment } from '../../ui/moment.tsx'
import { showDone } from '../../ui/notices.tsx'
import { Section } from '../../ui/page.tsx'
import { Quiet } from '../../ui/small.ts'

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
      <ul className="plain-list divided">
        {data.map((one) => (
          <Group key={one.id} component="li" justify="space-between" wrap="nowrap">
            <Box miw={0} className="breaks">
              <strong>{one.fileName ?? `Import ${one.id}`}</strong>
              <Quiet>
                <Moment time={one.createdAt} />, {stateOf(one)}
              </Quiet>
            </Box>
            {one.state === 'completed' && one.imported + one.changed > 0 && (
              <UndoImport id={one.id} fileName={one.fileName} />
            )}
          </Group>
        ))}
      </ul>
    </Section>
  )
}

function stateOf({ imported, changed, undoneAt }: Schemas['Import']): ReactNode {
  const change = changed > 0 ? `, ${formatNumber(changed)} changed` : ''
  if (undoneAt === null) return `${countOf(imported, 'animal')}${change}`
  return (
    <>
      undone <Moment time={undoneAt} />
    </>
  )
}

interface UndoImportProps {
  readonly id: number
  readonly fileName: string | null
  readonly onUndone?: () => void
}

/** Removes the animals that an import added, except those that were changed or ordered since. */
export function UndoImport({ id, fileName, onUndone }: UndoImportProps) {
  async function undo(): Promise<void> {
    const { removed, changed, ordered, restored, notRestored } = await bodyOf(
      api.DELETE('/imports/{importId}', { params: { path: { importId: id } } }),
    )
    // The message comes once the list shows it.
    await refreshShown()
    const kept = changed + ordered
    const rest = kept === 0 ? '' : ` ${countOf(kept, 'animal stays', 'animals stay')}: changed or ordered since.`
    const back = restored === 0 ? '' : ` ${countOf(restored, 'animal is', 'animals are')} as before.`
    const lost = notRestored === 0 ? '' : ` ${countOf(notRestored, 'animal')} could not be put back completely.`
    showDone(`${countOf(removed, 'animal')} removed.${back}${lost}${rest}`)
    onUndone?.()
  }

  return (
    <ConfirmButton
      label={fileName === null ? `Undo import ${id}` : `Undo import of ${fileName}`}
      title={fileName === null ? `Undo import ${id}?` : `Undo the import of ${isolated(fileName)}?`}
      action="Undo import"
      cancel="Keep animals"
      onConfirm={undo}
    >
      The animals that it added are removed, except those that were changed or ordered since. What it changed is put
      back.
    </ConfirmButton>
  )
}
