/**
 * The form of an animal and its profile. What is not changed in it follows the store; a change that is not saved is kept
 * when the page is left. Somebody else's change is a conflict only if it is of a member that is changed here too.
 */

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
import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { api } from '../../api/client.ts'
import { isApiError } from '../../api/error.ts'
import { queryClient, refreshShown } from '../../api/queries.ts'
import { createKept } from '../../session/session.ts'
import { useChange } from '../../ui/change.tsx'
import { FormError, useFields } from '../../ui/form.tsx'
import { isolated } from '../../ui/format.ts'
import { defined } from '../../ui/input.ts'
import { showDone } from '../../ui/notices.tsx'
import { Section } from '../../ui/page.tsx'
import { useUnsaved } from '../../ui/unsaved.ts'
import { subjectOf } from '../actions.tsx'
import { type Currency, currencyOf } from '../currencies.ts'
import { CurrencyField, setCurrency } from '../currency.tsx'
import { Conflict } from '../editor.tsx'
import { CategoryField } from '../fields.tsx'
import { fetchAnimal, useCategoryNames } from '../queries.ts'
import { changesOf, type Draft, draftOf, labels, mostAttributes, type Profile, problemsOf } from './draft.ts'
import { changedMembers, conflictsOf, type Edits, editsSince, membersOf, withEdits } from './edits.ts'
import { profileQuery } from './queries.ts'

const kept = createKept<Edits<Draft>>()
const none: Edits<Draft> = { before: {}, entered: {} }

type Entered = { readonly [M in keyof Draft]?: Draft[M] | undefined }

interface ProfileFormProps {
  readonly profile: Profile
  /** That of the store; null if it has none yet. */
  readonly currency: string | null
  /** The parts of the page that save on their own. */
  readonly photos: ReactNode
  readonly orders: ReactNode
}

export function ProfileForm({ profile, currency, photos, orders }: ProfileFormProps) {
  const { petId: id, pet } = profile
  const current = draftOf(profile)
  const [proposed, propose] = useState<string>(() => currencyOf(navigator.language))
  /** The members as they were before they were changed here. */
  const before = useRef(kept.get(id)?.before ?? {})
  const fields = useFields<Entered>(kept.get(id)?.entered ?? {}, (entered) => {
    const members = Object.keys(entered) as (keyof Draft)[]
    before.current = {
      ...membersOf<Draft>(current, members),
      ...membersOf(before.current, changedMembers(edits, current)),
    }
    const next = editsOf(entered)
    kept.set(changedMembers(next, current).length > 0 ? next : undefined, id)
  })
  const editsOf = (entered: Entered): Edits<Draft> => ({ before: before.current, entered: defined(entered) })
  const edits = editsOf(fields.values)
  const draft = withEdits(edits, current)
  const isChanged = changedMembers(edits, current).length > 0
  const conflicts = conflictsOf(edits, current)
  const { isBusy, error, run, isShown } = useChange()
  useUnsaved({
    subject: subjectOf(id),
    name: isolated(pet.name),
    isChanged,
    isKept: () => kept.get(id) !== undefined,
    href: `/animals/${id}`,
  })
  const formId = useId()

  /** Continues with other edits: none, or those that are left. */
  function replace(next: Edits<Draft>): void {
    const cleared = Object.fromEntries(Object.keys(fields.latest()).map((member) => [member, undefined]))
    before.current = next.before
    fields.change({ ...cleared, ...next.entered })
    before.current = next.before
    if (next === none) kept.set(undefined, id)
  }

  async function save(): Promise<void> {
    const priceCurrency = currency ?? proposed
    if (fields.reject(problemsOf(draft, priceCurrency))) return
    if (currency === null && draft.price.trim() !== '') await setCurrency(proposed as Currency)
    try {
      const saved = await sendEdits(id, edits, priceCurrency)
      // Otherwise, the form shows the conflict.
      if (saved === undefined) return
      const rest = editsSince(editsOf(fields.latest()), edits, draftOf(saved))
      if (isShown()) replace(Object.keys(rest.entered).length === 0 ? none : rest)
      else if (kept.get(id)?.entered === edits.entered) kept.set(undefined, id)
      showDone(`${isolated(saved.pet.name)} is saved.`, { subject: subjectOf(id) })
      void refreshShown()
    } catch (failure) {
      if (!isShown() || !isApiError(failure, 'conflict')) throw failure
      fields.reject({ number: failure.message })
    }
  }

  const field = <M extends keyof Draft>(member: M) => ({
    label: labels[member],
    autoComplete: 'off',
    ...fields.of(member),
    value: draft[member],
  })
  return (
    <form
      id={formId}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        // The forms of dialogs are no part of this one.
        if (event.target === event.currentTarget) void run(save)
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
                  <TextInput
                    {...field('price')}
                    description="Leave it empty for “on request”. 0 is free."
                    inputMode="decimal"
                    rightSection={currency}
                    rightSectionWidth={56}
                    rightSectionPointerEvents="none"
                  />
                  <TextInput {...field('number')} description="Your own, such as A-1042." />
                  {currency === null && draft.price.trim() !== '' && (
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
        {(isChanged || isBusy || error !== undefined) && (
          <Paper component="section" withBorder shadow="md" p="xs" className="bulk-bar" aria-label="Unsaved changes">
            {error !== undefined && <FormError error={error} />}
            {conflicts.length > 0 && !isBusy ? (
              <Conflict
                theirs={<Theirs members={membersOf(current, conflicts)} />}
                onKeep={() => {
                  before.current = { ...before.current, ...membersOf(current, conflicts) }
                  fields.change({})
                }}
                onTake={() => fields.change(Object.fromEntries(conflicts.map((member) => [member, undefined])))}
              />
            ) : (
              <Group gap="xs">
                <Text fw={600} role="status" visibleFrom="xs">
                  Not saved yet
                </Text>
                <Button size="xs" variant="default" disabled={isBusy} onClick={() => replace(none)}>
                  Discard changes
                </Button>
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

/** The most attempts while others change the same animal again and again. */
const mostAttempts = 5

/**
 * Saves the changed members, each request for the newest version of its record. Returns the profile as it is then,
 * undefined if somebody has changed one of the members meanwhile.
 */
async function sendEdits(id: number, edits: Edits<Draft>, currency: string): Promise<Profile | undefined> {
  const fresh = () => queryClient.fetchQuery({ ...profileQuery(id), staleTime: 0 })
  const path = { petId: id }
  for (let attempt = 1; ; attempt++) {
    const animal = await fetchAnimal(id)
    const latest = await fresh()
    const current = draftOf(latest.record)
    if (conflictsOf(edits, current).length > 0) return undefined
    const { pet, profile } = changesOf(membersOf(edits.entered, changedMembers(edits, current)), currency)
    const header = (etag: string | undefined) => defined({ 'If-Match': etag })
    try {
      if (pet) await api.PATCH('/pets/{petId}', { params: { path, header: header(animal?.etag) }, body: pet })
      if (profile) {
        await api.PATCH('/pets/{petId}/profile', { params: { path, header: header(latest.etag) }, body: profile })
      }
      return (await fresh()).record
    } catch (error) {
      if (!isApiError(error, 'precondition_failed') || attempt === mostAttempts) throw error
    }
  }
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
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={14} />}
            onClick={() => {
              onChange([...value, { label: '', text: '' }])
              setAdded(true)
            }}
          >
            Add fact
          </Button>
        )}
      </Stack>
    </Input.Wrapper>
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
