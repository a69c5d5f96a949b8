/**
 * Photos for several animals, whose numbers are in the names of the files. A plan shows which photo goes to which animal, and
 * then they are added. They go on if the dialog is closed.
 */

import { Alert, Button, Group, Modal, Progress, Stack, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { api, bodyOf } from '../api/client.ts'
import { useSignal } from '../signal.ts'
import { useIsShown } from '../ui/change.tsx'
import { countOf, formatNumber, isolated } from '../ui/format.ts'
import { showDone } from '../ui/notices.tsx'
import { Quiet } from '../ui/small.ts'
import { Loaded } from '../ui/states.tsx'
import { RecordTable } from '../ui/table.tsx'
import { type NumberedAnimal, numbersIn, type PhotoPlan, planOf } from './photo-plan.ts'
import { dismissPhoto, photoUploads, retryPhoto, uploadPhotos } from './upload-photos.ts'

/** The files of one drop or choice. */
export interface ChosenFiles {
  /** Different for each. */
  readonly key: string
  readonly files: Promise<readonly File[]>
}

interface PhotosDialogProps {
  readonly chosen: ChosenFiles | undefined
  readonly onClose: () => void
}

export function PhotosDialog({ chosen, onClose }: PhotosDialogProps) {
  return (
    <Modal opened={chosen !== undefined} onClose={onClose} title="Add photos" size="lg">
      {chosen !== undefined && <Planned key={chosen.key} chosen={chosen} onClose={onClose} />}
    </Modal>
  )
}

function Planned({ chosen: { key, files }, onClose }: { readonly chosen: ChosenFiles; readonly onClose: () => void }) {
  const query = useQuery({
    queryKey: ['photo-plan', key],
    queryFn: async ({ signal }) => {
      const found = await files
      return planOf(found, await findAnimals(found, signal))
    },
    // The plan is for the animals as they were when it was made.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  return <Loaded query={query}>{(plan) => <Plan plan={plan} onClose={onClose} />}</Loaded>
}

const requestsAtOnce = 5

/** The animals with a number with which a file can begin, by that number in lower case. */
async function findAnimals(files: readonly File[], signal: AbortSignal): Promise<ReadonlyMap<string, NumberedAnimal>> {
  const numbers = new Set(files.flatMap(({ name }) => numbersIn(name)).map((number) => number.toLowerCase()))
  const found = new Map<string, NumberedAnimal>()
  const left = numbers.values()
  async function findNext(): Promise<void> {
    for (const number of left) {
      const [profile] = await bodyOf(api.GET('/pets/profiles', { params: { query: { number } }, signal }))
      if (profile === undefined) continue
      const { petId, pet, photos } = profile
      found.set(number, { id: petId, name: pet.name, number: profile.number ?? number, photoCount: photos.length })
    }
  }
  await Promise.all(Array.from({ length: requestsAtOnce }, findNext))
  return found
}

function Plan({ plan: { uploads, left }, onClose }: { readonly plan: PhotoPlan<File>; readonly onClose: () => void }) {
  const [isStarted, setStarted] = useState(false)
  const all = useSignal(photoUploads)
  const isShown = useIsShown()
  const animals = new Map(uploads.map(({ file, animal }) => [file, animal]))
  const own = all.filter(({ file }) => animals.has(file))
  const failed = own.filter(({ problem }) => problem !== undefined)
  const isAdding = own.length > failed.length
  const added = uploads.length - own.length
  const isDone = isStarted && own.length === 0
  const sent = own.reduce((sum, { part = 0 }) => sum + part, 0)
  const isReported = useRef(false)

  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the last one is added
  useEffect(() => {
    if (!isDone) return
    isReported.current = true
    showDone(addedWords(uploads.length))
    onClose()
  }, [isDone])

  async function start(): Promise<void> {
    setStarted(true)
    const problems = await uploadPhotos(uploads.map(({ file, animal }) => ({ file, petId: animal.id })))
    if (isShown() || isReported.current) return
    const names = problems.map(({ file }) => isolated(file.name))
    const notAdded = names.length === 0 ? '' : ` Not added: ${names.join(', ')}.`
    const options = names.length === 0 ? {} : ({ tone: 'warning', stays: true } as const)
    showDone(`${addedWords(uploads.length - names.length)}${notAdded}`, options)
  }

  function close(): void {
    // Those that go on are named at the end.
    if (!isAdding) failed.forEach(dismissPhoto)
    onClose()
  }

  return (
    <Stack>
      {isStarted ? (
        <Text role="status">
          {isAdding ? `${formatNumber(added)} of ${countOf(uploads.length, 'photo')} added…` : addedWords(added)}
        </Text>
      ) : (
        <Text>
          {uploads.length === 0
            ? 'The name of a file begins with the number of its animal: A-1042-2.jpg is a photo of the animal A-1042.'
            : `${countOf(uploads.length, 'photo')} for ${countOf(new Set(animals.values()).size, 'animal')}.`}
        </Text>
      )}
      {isStarted && <Progress value={((added + sent) / uploads.length) * 100} aria-label="Progress of the photos" />}
      {failed.length > 0 && (
        <Problems
          title={`${countOf(failed.length, 'photo')} not added`}
          problems={failed.map(({ file, problem }) => ({ file, reason: problem ?? '' }))}
        />
      )}
      {!isStarted && left.length > 0 && <Problems title={`${countOf(left.length, 'file')} left out`} problems={left} />}
      {!isStarted && uploads.length > 0 && (
        <RecordTable columns={['File', 'Animal']}>
          {uploads.map(({ file, animal }) => (
            <Table.Tr key={file.name}>
              <Table.Td className="breaks">{file.name}</Table.Td>
              <Table.Td className="breaks">
                {isolated(animal.name)} <Quiet span>{animal.number}</Quiet>
              </Table.Td>
            </Table.Tr>
          ))}
        </RecordTable>
      )}
      <Group className="form-buttons" justify="flex-end">
        <Button variant="default" onClick={close}>
          {isAdding ? 'Continue in the background' : isStarted ? 'Done' : 'Cancel'}
        </Button>
        {!isStarted && uploads.length > 0 && (
          <Button data-autofocus onClick={() => void start()}>
            Add {countOf(uploads.length, 'photo')}
          </Button>
        )}
        {isStarted && !isAdding && failed.length > 0 && (
          <Button onClick={() => failed.forEach(retryPhoto)}>Try again</Button>
        )}
      </Group>
    </Stack>
  )
}

const addedWords = (count: number): string => `${countOf(count, 'photo')} added.`

interface ProblemsProps {
  readonly title: string
  readonly problems: readonly { readonly file: File; readonly reason: string }[]
}

function Problems({ title, problems }: ProblemsProps) {
  return (
    <Alert color="amber" title={title} className="breaks">
      <Stack gap={4}>
        {problems.map(({ file, reason }) => (
          <div key={file.name}>
            <strong>{isolated(file.name)}</strong>: {reason}
          </div>
        ))}
      </Stack>
    </Alert>
  )
}
