/** The form that gives several animals the same details: only those that are ticked. */

import { Box, Checkbox, Group, Modal, NativeSelect, Text, Textarea, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Form, useFields } from '../ui/form.tsx'
import { countOf } from '../ui/format.ts'
import { changesOf, type Draft, labels, problemsOf } from './animal/draft.ts'
import { membersOf } from './animal/edits.ts'
import { Attributes } from './animal/profile-form.tsx'
import type { ProfileChange } from './bulk-change.ts'
import { type Currency, CurrencyField, currencyOf, setCurrency, useCurrency } from './currency.tsx'

const none: Draft = {
  name: '-',
  categoryId: 1,
  status: 'available',
  number: '',
  microchip: '',
  published: true,
  breed: '',
  color: '',
  sex: '',
  birthDate: '',
  price: '',
  description: '',
  attributes: [],
}

interface EditDetailsProps {
  /** The number of animals. */
  readonly count: number
  readonly opened: boolean
  readonly onClose: () => void
  readonly onEdit: (change: ProfileChange) => void
}

export function EditDetails({ opened, ...form }: EditDetailsProps) {
  const { count, onClose } = form
  return (
    <Modal opened={opened} onClose={onClose} title={`Edit details of ${countOf(count, 'animal')}`}>
      <DetailsForm {...form} />
    </Modal>
  )
}

function DetailsForm({ count, onClose, onEdit }: Omit<EditDetailsProps, 'opened'>) {
  const storeCurrency = useCurrency()
  const [proposed, propose] = useState<string>(() => currencyOf(navigator.language))
  const [ticked, setTicked] = useState<ReadonlySet<keyof Draft>>(new Set())
  const fields = useFields(none)
  const currency = storeCurrency ?? proposed
  const isFirstPrice = storeCurrency === null && ticked.has('price') && fields.values.price.trim() !== ''

  const tick = (name: keyof Draft, isTicked: boolean) =>
    setTicked((before) => (isTicked ? before.union(new Set([name])) : before.difference(new Set([name]))))

  /** What is entered is ticked. */
  function enter(name: keyof Draft, value: Draft[keyof Draft]): void {
    fields.change({ [name]: value })
    tick(name, true)
  }

  async function submit(): Promise<void> {
    const problems = problemsOf(fields.values, currency)
    if (fields.reject(membersOf(problems, [...ticked]))) return
    if (isFirstPrice) await setCurrency(proposed as Currency)
    const { profile } = changesOf(membersOf<Draft>(fields.values, [...ticked]), currency)
    onClose()
    if (profile !== undefined) onEdit(profile)
  }

  const row = (name: keyof Draft, field: ReactNode) => (
    <Group align="flex-start" wrap="nowrap" gap="sm">
      <Checkbox
        mt={30}
        aria-label={`Change: ${labels[name]}`}
        checked={ticked.has(name)}
        onChange={({ currentTarget }) => tick(name, currentTarget.checked)}
      />
      <Box flex={1} miw={0}>
        {field}
      </Box>
    </Group>
  )
  const of = <M extends keyof Draft>(name: M) => ({
    ...fields.of(name),
    label: labels[name],
    autoComplete: 'off',
    onChange: ({ currentTarget: { value } }: { readonly currentTarget: { readonly value: string } }) =>
      enter(name, value as Draft[M]),
  })

  return (
    <Form
      onSubmit={submit}
      action={`Change ${countOf(count, 'animal')}`}
      onCancel={onClose}
      isDisabled={ticked.size === 0}
    >
      <Text size="sm">Only what is ticked is changed. A ticked field that is empty removes what is there.</Text>
      {row('breed', <TextInput {...of('breed')} data-autofocus />)}
      {row('color', <TextInput {...of('color')} />)}
      {row(
        'sex',
        <NativeSelect {...of('sex')}>
          <option value="">Unknown</option>
          <option value="female">Female</option>
          <option value="male">Male</option>
        </NativeSelect>,
      )}
      {row('birthDate', <TextInput {...of('birthDate')} placeholder="2024, 2024-03 or 2024-03-14" />)}
      {row('price', <TextInput {...of('price')} inputMode="decimal" rightSection={currency} rightSectionWidth={56} />)}
      {isFirstPrice && (
        <CurrencyField value={proposed} onChange={({ currentTarget }) => propose(currentTarget.value)} />
      )}
      {row('description', <Textarea {...of('description')} autosize minRows={2} maxRows={8} />)}
      {row(
        'attributes',
        <Attributes
          value={fields.values.attributes}
          error={fields.wrong.attributes}
          first={fields.of('attributes').ref}
          onChange={(attributes) => enter('attributes', attributes)}
        />,
      )}
    </Form>
  )
}
