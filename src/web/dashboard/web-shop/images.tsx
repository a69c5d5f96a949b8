/** The logo and the picture of the web shop. */

import { Group, Image, SimpleGrid, Stack, Text } from '@mantine/core'
import { useRef, useState } from 'react'
import { photoTypes } from '../animals/upload-photos.ts'
import { api } from '../api/client.ts'
import { refreshShown } from '../api/queries.ts'
import { upload } from '../api/upload.ts'
import { ChangeButton, useChange } from '../ui/change.tsx'
import { FileInput } from '../ui/drop.tsx'
import { FormError } from '../ui/form.tsx'
import { Section } from '../ui/page.tsx'
import { Quiet, SmallButton } from '../ui/small.ts'
import type { Website } from './queries.ts'

export function ImagesSection({ website }: { readonly website: Website }) {
  return (
    <Section title="Images" lead="JPEG, PNG or WebP, at most 20 MB each.">
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <ImageField image="logo" label="Logo" hint="Beside the name, on every page." photo={website.logo} />
        <ImageField image="picture" label="Picture" hint="Large, on the front page." photo={website.picture} />
      </SimpleGrid>
    </Section>
  )
}

interface ImageFieldProps {
  readonly image: 'logo' | 'picture'
  readonly label: string
  readonly hint: string
  readonly photo: Website['logo']
}

function ImageField({ image, label, hint, photo }: ImageFieldProps) {
  const picker = useRef<HTMLInputElement>(null)
  const { isBusy, error, run } = useChange()
  const [part, setPart] = useState(0)
  const noun = label.toLowerCase()

  const add = (file: File) =>
    run(async () => {
      await upload(`/store/website/${image}`, file, file.type || 'image/jpeg', { onProgress: setPart })
      await refreshShown()
    })

  return (
    <Stack gap="xs" align="flex-start">
      <div>
        <Text fw={500}>{label}</Text>
        <Quiet>{hint}</Quiet>
      </div>
      {photo !== null && <Image src={photo.small} alt={`The ${noun}`} h={120} w="auto" maw="100%" radius="md" />}
      {error !== undefined && <FormError error={error} />}
      <FileInput
        ref={picker}
        label={`File of the ${noun}`}
        accept={photoTypes}
        onChoose={([file]) => file && void add(file)}
      />
      <Group gap="xs">
        <SmallButton loading={isBusy} onClick={() => picker.current?.click()}>
          {photo === null ? `Add ${noun}` : `Replace ${noun}`}
        </SmallButton>
        {photo !== null && (
          <ChangeButton
            change={() => api.DELETE('/store/website/{image}', { params: { path: { image } } })}
            failure={`The ${noun} was not deleted`}
          >
            {`Delete ${noun}`}
          </ChangeButton>
        )}
        {isBusy && part < 1 && <Text size="sm">{`${Math.round(part * 100)} %`}</Text>}
      </Group>
    </Stack>
  )
}
