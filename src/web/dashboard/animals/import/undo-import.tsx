/** Removes what an import added and nobody has changed or ordered since. */

import { Button } from '@mantine/core'
import { useState } from 'react'
import { api, bodyOf } from '../../api/client.ts'
import { invalidateTopics } from '../../api/queries.ts'
import { Confirm } from '../../ui/feedback/confirm.tsx'
import { showDone } from '../../ui/feedback/notices.ts'
import { countOf, isolated } from '../../ui/format.ts'

interface UndoImportProps {
  readonly id: number
  readonly fileName: string | null
  readonly onUndone?: () => void
}

export function UndoImport({ id, fileName, onUndone }: UndoImportProps) {
  const [isAsking, setAsking] = useState(false)

  async function undo(): Promise<void> {
    const { removed, changed, ordered } = await bodyOf(
      api.DELETE('/imports/{importId}', { params: { path: { importId: id } } }),
    )
    await invalidateTopics(['pets', 'imports', 'categories'])
    const kept = changed + ordered
    const rest = kept === 0 ? '' : ` ${countOf(kept, 'animal stays', 'animals stay')}: changed or ordered since.`
    showDone(`${countOf(removed, 'animal')} removed.${rest}`)
    onUndone?.()
  }

  return (
    <>
      <Button
        variant="default"
        aria-label={fileName === null ? `Undo import ${id}` : `Undo import of ${fileName}`}
        onClick={() => setAsking(true)}
      >
        Undo import
      </Button>
      <Confirm
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={fileName === null ? `Undo import ${id}?` : `Undo the import of ${isolated(fileName)}?`}
        action="Undo import"
        cancel="Keep animals"
        onConfirm={undo}
      >
        The animals that it added are removed, except those that were changed or ordered since.
      </Confirm>
    </>
  )
}
