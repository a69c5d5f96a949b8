/** The photos of an animal: added, put in order, described and deleted. */

import {
  Alert,
  Badge,
  Button,
  Group,
  Image,
  Menu,
  Modal,
  Progress,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
  UnstyledButton,
  VisuallyHidden,
} from '@mantine/core'
import { useWindowEvent } from '@mantine/hooks'
import { IconPhotoPlus } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { api, type Schemas } from '../../api/client.ts'
import { refreshShown } from '../../api/queries.ts'
import { useSignal } from '../../signal.ts'
import { useIsShown } from '../../ui/change.tsx'
import { FileInput, WindowDrop } from '../../ui/drop.tsx'
import { Confirm, Form, useFields } from '../../ui/form.tsx'
import { countOf, isolated } from '../../ui/format.ts'
import { showDone, showFailure, showWithButton } from '../../ui/notices.tsx'
import { Section } from '../../ui/page.tsx'
import { RecordMenu } from '../../ui/record-menu.tsx'
import { Quiet, SmallButton } from '../../ui/small.ts'
import type { Pet } from '../filters.ts'
import {
  dismissPhoto,
  mostPhotos,
  type PhotoUpload,
  photoTypes,
  photoUploads,
  retryPhoto,
  uploadPhotos,
  useUploadWarning,
} from '../upload-photos.ts'

type Photo = Schemas['Photo']

interface PhotosProps {
  readonly pet: Pet
  readonly photos: readonly Photo[]
}

export function PhotosSection({ pet, photos }: PhotosProps) {
  const uploads = useSignal(photoUploads).filter(({ petId }) => petId === pet.id)
  const picker = useRef<HTMLInputElement>(null)
  const camera = useRef<HTMLInputElement>(null)
  const isShown = useIsShown()
  useUploadWarning()
  useWindowEvent('paste', ({ target, clipboardData }) => {
    // Cells of a spreadsheet are copied as a picture too.
    const isTyping = target instanceof Element && target.closest('input, textarea') !== null
    if (!isTyping && clipboardData?.files.length) void add(clipboardData.files)
  })

  async function add(files: FileList): Promise<void> {
    const chosen = [...files].map((file) => ({ petId: pet.id, file }))
    const failed = await uploadPhotos(chosen)
    if (isShown()) return
    const added = chosen.length - failed.length
    if (added > 0) showDone(`${countOf(added, 'photo')} of ${isolated(pet.name)} added.`)
    if (failed.length === 0) return
    const words = `${countOf(failed.length, 'photo')} of ${isolated(pet.name)} could not be added.`
    showWithButton(words, 'Show', () => navigate(`/dashboard/animals/${pet.id}`), { tone: 'warning' })
  }

  const isFull = photos.length >= mostPhotos
  return (
    <Section title="Photos">
      <Stack align="center" gap="xs" p="md" ta="center" className="drop">
        {photos.length > 0 && <Gallery pet={pet} photos={photos} />}
        <Uploads uploads={uploads} />
        {isFull ? (
          <Quiet>{mostPhotos} photos are the most. Delete one to add another.</Quiet>
        ) : (
          <>
            {photos.length === 0 && <IconPhotoPlus size={36} aria-hidden="true" />}
            <Quiet className="drop-mouse">Drop photos here, or paste one.</Quiet>
            <Group justify="center" gap="xs">
              <Button variant={photos.length === 0 ? 'filled' : 'default'} onClick={() => picker.current?.click()}>
                Choose photos
              </Button>
              <Button variant="default" className="drop-touch" onClick={() => camera.current?.click()}>
                Take photo
              </Button>
            </Group>
          </>
        )}
        <FileInput ref={picker} label="Photos" accept={photoTypes} multiple onChoose={(files) => void add(files)} />
        <FileInput
          ref={camera}
          label="Photo from the camera"
          accept={photoTypes}
          capture="environment"
          onChoose={(files) => void add(files)}
        />
      </Stack>
      <WindowDrop
        title={`Drop photos of ${isolated(pet.name)}`}
        text="JPEG, PNG or WebP images, several at once."
        onDrop={({ files }) => void add(files)}
      />
    </Section>
  )
}

/** The photos on their way, and those that could not be added. */
function Uploads({ uploads }: { readonly uploads: readonly PhotoUpload[] }) {
  return (
    <Stack gap="xs" w="min(28rem, 100%)" ta="start" role="status">
      {uploads.map((photo) => {
        const { id, file, part, problem } = photo
        if (problem !== undefined) {
          return (
            <Alert key={id} color="red" title={file.name} className="breaks">
              {problem}
              <Group gap="xs" mt="xs">
                <SmallButton onClick={() => retryPhoto(photo)}>Try again</SmallButton>
                <SmallButton onClick={() => dismissPhoto(photo)}>Leave it out</SmallButton>
              </Group>
            </Alert>
          )
        }
        return (
          <div key={id}>
            <Group justify="space-between" wrap="nowrap" gap="xs" fz="sm">
              <Text size="sm" truncate>
                {file.name}
              </Text>
              <Quiet flex="none">
                {part === undefined ? 'Waiting' : part < 1 ? `${Math.floor(part * 100)} %` : 'Processing…'}
              </Quiet>
            </Group>
            <Progress value={(part ?? 0) * 100} animated={part === 1} aria-label={`Progress of ${file.name}`} />
          </div>
        )
      })}
    </Stack>
  )
}

/** What is opened for a photo. */
type Opened = { readonly photo: Photo; readonly part: 'text' | 'delete' }

function Gallery({ pet, photos }: PhotosProps) {
  const [opened, setOpened] = useState<Opened>()
  const [said, say] = useState('')
  const close = () => setOpened(undefined)
  const name = isolated(pet.name)
  const wordsOf = (photo: Photo) => photo.alt ?? `Photo ${photos.indexOf(photo) + 1} of ${name}`
  const pathOf = (photo: Photo) => ({ path: { petId: pet.id, photoId: photo.id } })

  async function move(photo: Photo, position: number): Promise<void> {
    try {
      await api.PATCH('/pets/{petId}/photos/{photoId}', { params: pathOf(photo), body: { position } })
      await refreshShown()
      say(`The photo is number ${position} now.`)
    } catch (error) {
      showFailure(error, 'The photo was not moved', () => move(photo, position))
    }
  }

  return (
    <>
      <SimpleGrid
        component="ul"
        className="plain-list"
        cols={{ base: 2, xs: 3, sm: 4 }}
        spacing="sm"
        w="100%"
        ta="start"
      >
        {photos.map((photo, index) => (
          <li key={photo.id}>
            <UnstyledButton display="block" w="100%" pos="relative" onClick={() => setOpened({ photo, part: 'text' })}>
              <Image
                src={index === 0 ? photo.medium : photo.small}
                alt={wordsOf(photo)}
                radius="md"
                style={{ aspectRatio: 1 }}
              />
              {index === 0 && (
                <Badge pos="absolute" top={8} left={8} color="gray" size="md">
                  First
                </Badge>
              )}
            </UnstyledButton>
            <Group justify="space-between" wrap="nowrap" gap={4}>
              <Quiet truncate>{photo.alt ?? 'Not described'}</Quiet>
              <RecordMenu label={`More for photo ${index + 1}`}>
                <Menu.Item disabled={index === 0} onClick={() => void move(photo, 1)}>
                  Make first
                </Menu.Item>
                <Menu.Item disabled={index === 0} onClick={() => void move(photo, index)}>
                  Move left
                </Menu.Item>
                <Menu.Item disabled={index === photos.length - 1} onClick={() => void move(photo, index + 2)}>
                  Move right
                </Menu.Item>
                <Menu.Item onClick={() => setOpened({ photo, part: 'text' })}>Alternative text</Menu.Item>
                <Menu.Divider />
                <Menu.Item c="var(--bad)" onClick={() => setOpened({ photo, part: 'delete' })}>
                  Delete photo
                </Menu.Item>
              </RecordMenu>
            </Group>
          </li>
        ))}
      </SimpleGrid>
      <VisuallyHidden role="status">{said}</VisuallyHidden>
      <Modal opened={opened?.part === 'text'} onClose={close} title={`Photo of ${name}`} size="lg">
        {opened !== undefined && (
          <>
            <Image src={opened.photo.large} alt={wordsOf(opened.photo)} radius="md" mb="md" mah="60dvh" fit="contain" />
            <TextForm pet={pet} photo={opened.photo} onClose={close} />
          </>
        )}
      </Modal>
      <Confirm
        opened={opened?.part === 'delete'}
        onClose={close}
        title="Delete this photo?"
        action="Delete photo"
        onConfirm={async () => {
          if (opened === undefined) return
          await api.DELETE('/pets/{petId}/photos/{photoId}', { params: pathOf(opened.photo) })
          showDone(`A photo of ${name} is deleted.`)
        }}
      >
        {opened !== undefined && (
          <Image src={opened.photo.small} alt={wordsOf(opened.photo)} radius="md" w={160} mb="md" />
        )}
        Websites that show it lose it at once. This cannot be undone.
      </Confirm>
    </>
  )
}

const longestText = 200

interface TextFormProps {
  readonly pet: Pet
  readonly photo: Photo
  readonly onClose: () => void
}

function TextForm({ pet, photo, onClose }: TextFormProps) {
  const { values, of, reject } = useFields({ alt: photo.alt ?? '' })

  async function save(isShown: () => boolean): Promise<void> {
    const alt = values.alt.trim() || null
    if (reject({ alt: [...(alt ?? '')].length > longestText ? `Use at most ${longestText} letters.` : undefined }))
      return
    const params = { path: { petId: pet.id, photoId: photo.id } }
    await api.PATCH('/pets/{petId}/photos/{photoId}', { params, body: { alt } })
    if (isShown()) onClose()
  }

  return (
    <Form onSubmit={save} action="Save text" onCancel={onClose}>
      <TextInput
        {...of('alt')}
        label="Alternative text"
        description="What the photo shows, for people who cannot see it."
        autoComplete="off"
        data-autofocus
      />
    </Form>
  )
}
