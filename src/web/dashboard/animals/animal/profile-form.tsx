/** The form of an animal and its profile, on its page. */

import {
  ActionIcon,
  Button,
  Flex,
  Group,
  Input,
  NativeSelect,
  Paper,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { IconArrowUp, IconPlus, IconX } from '@tabler/icons-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { FormError } from '../../ui/form.tsx'
import { Section } from '../../ui/page.tsx'
import { SmallButton } from '../../ui/small.ts'
import { type Currency, CurrencyField, currencyOf, setCurrency } from '../currency.tsx'
import { CategoryField, StatusField } from '../fields.tsx'
import { reachableFrom } from '../filters.ts'
import { Conflict } from './conflict.tsx'
import { type Draft, labels, mostAttributes, type Profile } from './draft.ts'
import { useAnimalForm } from './use-animal-form.ts'

interface ProfileFormProps {
  readonly profile: Profile
  /** That of the store; null if it has none yet. */
  readonly currency: string | null
  /** The parts of the page that save on their own. */
  readonly photos: ReactNode
  readonly orders: ReactNode
}

export function ProfileForm({ profile, currency, photos, orders }: ProfileFormProps) {
  const [proposed, propose] = useState<string>(() => currencyOf(navigator.language))
  const form = useAnimalForm(profile, {
    currency: currency ?? proposed,
    prepare: async () => {
      if (isFirstPrice) await setCurrency(proposed as Currency)
    },
  })
  const { fields, draft, theirs, isBusy, error } = form
  const isFirstPrice = currency === null && draft.price.trim() !== ''

  const field = <M extends keyof Draft>(member: M) => ({
    label: labels[member],
    autoComplete: 'off',
    ...fields.of(member),
    value: draft[member],
  })
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        // The forms of dialogs are no part of this one.
        if (event.target === event.currentTarget) form.save()
      }}
    >
      <Stack gap="lg">
        <Flex direction={{ base: 'column', lg: 'row' }} align={{ lg: 'flex-start' }} gap="lg">
          <Stack flex="2" miw={0} gap="lg">
            {photos}
            <Section title="Animal">
              <Stack gap="sm">
                <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
                  <TextInput {...field('name')} />
                  <CategoryField
                    label={labels.categoryId}
                    value={draft.categoryId}
                    onChange={(categoryId) => fields.change({ categoryId })}
                  />
                  <TextInput {...field('number')} description="Your own, such as A-1042." />
                  <StatusField {...field('status')} allowed={reachableFrom(profile.pet.status)} />
                  <TextInput
                    {...field('price')}
                    description="Leave it empty for “on request”. 0 is free."
                    inputMode="decimal"
                    rightSection={currency}
                    rightSectionWidth={56}
                    rightSectionPointerEvents="none"
                  />
                  {isFirstPrice && (
                    <CurrencyField
                      description="All prices are in it. You can change it in the settings."
                      value={proposed}
                      onChange={({ currentTarget }) => propose(currentTarget.value)}
                    />
                  )}
                </SimpleGrid>
                <Textarea
                  {...field('description')}
                  description="For buyers. Markdown: **bold**, *italic*, and lines that begin with - are a list."
                  autosize
                  minRows={4}
                  maxRows={20}
                />
                <Attributes
                  value={draft.attributes}
                  error={fields.wrong.attributes}
                  first={fields.of('attributes').ref}
                  onChange={(attributes) => fields.change({ attributes })}
                />
              </Stack>
            </Section>
          </Stack>
          <Stack flex="1" miw={0} gap="lg">
            <Section title="Details">
              <Stack gap="sm">
                <TextInput {...field('breed')} />
                <TextInput {...field('color')} />
                <NativeSelect {...field('sex')}>
                  <option value="">Unknown</option>
                  <option value="female">Female</option>
                  <option value="male">Male</option>
                </NativeSelect>
                <TextInput
                  {...field('birthDate')}
                  description="As exactly as you know it: 2024, 2024-03 or 2024-03-14."
                />
                <TextInput {...field('microchip')} description="Never shown to the public." />
                <Switch
                  label={labels.published}
                  description="Keys see every animal, shown or not."
                  checked={draft.published}
                  onChange={({ currentTarget }) => fields.change({ published: currentTarget.checked })}
                />
              </Stack>
            </Section>
            {orders}
          </Stack>
        </Flex>
        {(form.changed.length > 0 || isBusy || error !== undefined) && (
          <Paper component="section" withBorder shadow="md" p="xs" className="bulk-bar" aria-label="Unsaved changes">
            {error !== undefined && <FormError error={error} />}
            {theirs !== undefined ? (
              <Conflict form={form} theirs={theirs} />
            ) : (
              <Group gap="xs">
                <Text fw={600} role="status" visibleFrom="xs">
                  Not saved yet
                </Text>
                <SmallButton disabled={isBusy} onClick={form.discard}>
                  Discard changes
                </SmallButton>
                <Button size="xs" type="submit" loading={isBusy}>
                  Save animal
                </Button>
              </Group>
            )}
          </Paper>
        )}
      </Stack>
    </form>
  )
}

interface AttributesProps {
  readonly value: Draft['attributes']
  readonly error: string | undefined
  readonly first: (input: HTMLInputElement | null) => void
  readonly onChange: (attributes: Draft['attributes']) => void
}

/** Facts under names of the owner, one a row. */
export function Attributes({ value, error, first, onChange }: AttributesProps) {
  const last = useRef<HTMLInputElement>(null)
  const [isAdded, setAdded] = useState(false)
  useEffect(() => {
    if (isAdded) last.current?.focus()
    setAdded(false)
  }, [isAdded])
  const set = (index: number, change: Partial<Draft['attributes'][number]>) =>
    onChange(value.map((one, at) => (at === index ? { ...one, ...change } : one)))
  return (
    <Input.Wrapper label={labels.attributes} labelElement="div" error={error}>
      <Stack gap="xs" align="flex-start">
        {value.map(({ label, text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place
          <Group key={index} gap={4} wrap="nowrap" align="flex-start" w="100%">
            <Group gap="xs" flex="1" miw={0}>
              <TextInput
                ref={index === value.length - 1 ? last : index === 0 ? first : undefined}
                aria-label={`Name of fact ${index + 1}`}
                placeholder="Vaccinated"
                autoComplete="off"
                flex="1 1 8rem"
                value={label}
                onChange={({ currentTarget }) => set(index, { label: currentTarget.value })}
              />
              <TextInput
                aria-label={`Text of fact ${index + 1}`}
                placeholder="Rabies, May 2026"
                autoComplete="off"
                flex="2 1 10rem"
                value={text}
                onChange={({ currentTarget }) => set(index, { text: currentTarget.value })}
              />
            </Group>
            <ActionIcon
              size={36}
              aria-label={`Move fact ${index + 1} up`}
              style={{ visibility: index === 0 ? 'hidden' : 'visible' }}
              onClick={() => onChange(value.toSpliced(index - 1, 2, ...value.slice(index - 1, index + 1).toReversed()))}
            >
              <IconArrowUp size={18} />
            </ActionIcon>
            <ActionIcon
              size={36}
              aria-label={`Remove fact ${index + 1}`}
              onClick={() => onChange(value.toSpliced(index, 1))}
            >
              <IconX size={18} />
            </ActionIcon>
          </Group>
        ))}
        {value.length < mostAttributes && (
          <SmallButton
            leftSection={<IconPlus size={14} />}
            onClick={() => {
              onChange([...value, { label: '', text: '' }])
              setAdded(true)
            }}
          >
            Add fact
          </SmallButton>
        )}
      </Stack>
    </Input.Wrapper>
  )
}
