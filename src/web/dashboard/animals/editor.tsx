/** The form to change an animal: in its row, or in a dialog for an animal that a link opens. */

import { Button, Group } from '@mantine/core'
import { type FormEvent, type KeyboardEvent, useEffect, useRef } from 'react'
import { ChangeButton, useIsShown } from '../ui/change.tsx'
import { FormError } from '../ui/form.tsx'
import { isolated } from '../ui/format.ts'
import { showDone } from '../ui/notices.tsx'
import { Failure, LoadingRows } from '../ui/states.tsx'
import { subjectOf } from './actions.tsx'
import { Fields } from './fields.tsx'
import { type Pet, petStates, reachableFrom } from './filters.ts'
import { useCategoryNames } from './queries.ts'
import { useEditing } from './use-editing.ts'
import './editor.css'

interface EditorProps {
  readonly id: number
  readonly onClose: () => void
  /** Called with the animal as it is saved, which may be after the form has closed. */
  readonly onSaved: (pet: Pet) => void
  readonly isInRow?: boolean
  /** Sells the animal, and then the form closes; without it, there is no button for that. */
  readonly onSell?: (pet: Pet) => Promise<void>
}

export function Editor({ id, onClose, onSaved, isInRow = false, onSell }: EditorProps) {
  const nameField = useRef<HTMLInputElement>(null)
  const isShown = useIsShown()
  // Another form may be open when the response arrives.
  const closeIfShown = () => isShown() && onClose()
  const editing = useEditing(id, (pet) => {
    onSaved(pet)
    closeIfShown()
    showDone(`${isolated(pet.name)} is saved.`, { subject: subjectOf(pet.id) })
  })
  const { pet, draft, theirs, nameError, isGone, error } = editing
  const isLoaded = draft !== undefined
  useEffect(() => {
    if (isLoaded) nameField.current?.focus()
  }, [isLoaded])
  useEffect(() => {
    if (nameError !== undefined) nameField.current?.focus()
  }, [nameError])

  if (isGone) {
    return (
      <div className="editor-note" role="alert">
        <span>Somebody has deleted this animal.</span>
        <Button variant="default" size="xs" onClick={onClose}>
          Close
        </Button>
      </div>
    )
  }
  if (pet === undefined || draft === undefined) {
    return error === undefined ? (
      <LoadingRows rows={1} label="Loading the animal…" />
    ) : (
      <Failure error={error} onRetry={onClose} />
    )
  }

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault()
    void editing.save()
  }

  function onKey(event: KeyboardEvent): void {
    if (event.key !== 'Escape' || !isInRow) return
    event.stopPropagation()
    onClose()
  }

  return (
    <form className={isInRow ? 'editor editor-in-row' : 'editor'} onSubmit={submit} onKeyDown={onKey} noValidate>
      <div className="editor-fields">
        <Fields
          draft={draft}
          onChange={editing.change}
          nameError={nameError}
          nameField={nameField}
          allowed={reachableFrom(pet.status)}
          isCompact={isInRow}
        />
        {theirs === undefined && (
          <Group gap="xs" className="editor-buttons" justify="flex-end">
            {onSell !== undefined && pet.status !== 'sold' && (
              <ChangeButton
                className="editor-sell"
                // Something is changed and not saved.
                disabled={editing.isChanged}
                change={() => onSell(pet).then(closeIfShown)}
              >
                Mark as sold
              </ChangeButton>
            )}
            <Button
              variant="default"
              onClick={() => {
                editing.discard()
                onClose()
              }}
            >
              Cancel
            </Button>
            <Button type="submit" loading={editing.isBusy} disabled={!editing.isChanged}>
              Save animal
            </Button>
          </Group>
        )}
      </div>
      {editing.isContinued && theirs === undefined && (
        <p className="editor-continued" role="status">
          This change was not saved yet. “Cancel” discards it.
        </p>
      )}
      {theirs !== undefined && <Conflict theirs={theirs} editing={editing} />}
      {error !== undefined && <FormError error={error} />}
    </form>
  )
}

function Conflict({ theirs, editing }: { readonly theirs: Pet; readonly editing: ReturnType<typeof useEditing> }) {
  const nameOf = useCategoryNames()
  return (
    <div className="editor-conflict" role="alert">
      <p>
        <strong>Somebody changed this meanwhile.</strong> Now it is {isolated(theirs.name)},{' '}
        {isolated(nameOf(theirs.categoryId))}, {petStates[theirs.status][0].toLowerCase()}.
      </p>
      <Group gap="xs">
        <Button size="xs" loading={editing.isBusy} onClick={() => void editing.keepMine()}>
          Keep mine
        </Button>
        <Button size="xs" variant="default" onClick={editing.takeTheirs}>
          Take theirs
        </Button>
      </Group>
    </div>
  )
}
