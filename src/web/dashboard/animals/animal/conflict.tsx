/** Asks whose version stays where somebody else has changed what is changed in a form of an animal, too. */

import { Alert, Button, Group } from '@mantine/core'
import { isolated } from '../../ui/format.ts'
import { SmallButton } from '../../ui/small.ts'
import { useCategoryNames } from '../queries.ts'
import { type Draft, labels } from './draft.ts'
import type { AnimalForm } from './use-animal-form.ts'

interface ConflictProps {
  readonly form: AnimalForm
  readonly theirs: Partial<Draft>
}

export function Conflict({ form, theirs }: ConflictProps) {
  return (
    <Alert color="amber" title="Somebody changed this meanwhile." className="breaks">
      <Theirs members={theirs} />
      <Group gap="xs" mt="xs">
        <Button size="xs" onClick={form.keepMine}>
          Keep mine
        </Button>
        <SmallButton onClick={form.takeTheirs}>Take theirs</SmallButton>
      </Group>
    </Alert>
  )
}

/** The members that somebody else has changed, in words. */
function Theirs({ members }: { readonly members: Partial<Draft> }) {
  const nameOf = useCategoryNames()
  return Object.entries(members)
    .map(([member, value]) => {
      const label = labels[member as keyof Draft]
      if (member === 'attributes') return `${label} are different now.`
      if (typeof value === 'boolean') return `${label}: ${value ? 'yes' : 'no'} now.`
      const text = typeof value === 'number' ? nameOf(value) : String(value)
      return `${label} is now ${text === '' ? 'empty' : isolated(text.length > 60 ? `${text.slice(0, 60)}…` : text)}.`
    })
    .join(' ')
}
