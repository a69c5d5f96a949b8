/** The page of the web shop: its address and what it shows, the form with a preview, and its images. */

import { Alert, Button, Group, Image, NativeSelect, SimpleGrid, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { Link } from 'wouter'
import { filtersOf, type ProfileFilter } from '../animals/filters.ts'
import { countQuery } from '../animals/queries.ts'
import { photoTypes } from '../animals/upload-photos.ts'
import { api } from '../api/client.ts'
import { refreshShown } from '../api/queries.ts'
import { systemQuery } from '../api/system.ts'
import { upload } from '../api/upload.ts'
import { Address } from '../projects/address.tsx'
import { HostingOff } from '../projects/hosting-off.tsx'
import { allProjectsQuery, projectQuery } from '../projects/queries.ts'
import { createKept, useSession } from '../session/session.ts'
import { ChangeButton, useChange } from '../ui/change.tsx'
import { FileInput } from '../ui/drop.tsx'
import { ConfirmButton, Form, FormError, useFields } from '../ui/form.tsx'
import { countOf } from '../ui/format.ts'
import { defined, typingPauseMs } from '../ui/input.ts'
import { showDone } from '../ui/notices.tsx'
import { Page, Section } from '../ui/page.tsx'
import { Loaded } from '../ui/states.tsx'
import { useUnsaved } from '../ui/unsaved.ts'
import { changeOf, type Draft, draftOf, problemsOf } from './draft.ts'
import { previewQuery, type Website, type WebsiteChange, websiteQuery } from './queries.ts'

export function WebShopPage() {
  const query = useQuery(websiteQuery)
  const system = useQuery(systemQuery)
  return (
    <Page title="Web shop" lead="A website with your animals, for everybody. You only enter a few texts.">
      {system.data?.sitesDomain === null && <HostingOff />}
      <Loaded query={query}>
        {(website) => (
          <>
            {website !== null && <AddressSection website={website} />}
            <WebsiteForm website={website} />
            {website !== null && <ImagesSection website={website} />}
            {website !== null && <DeleteSection />}
          </>
        )}
      </Loaded>
    </Page>
  )
}

/** The most animals that a web shop shows. */
const mostShown = 5_000

function AddressSection({ website }: { readonly website: Website }) {
  const { url, shown, projectId, language, imprint } = website
  const { data: project } = useQuery(projectQuery(projectId))
  return (
    <Section
      title="What visitors see"
      actions={
        // An address below .localhost is for this computer alone.
        url?.startsWith('https:') && (
          <Button component={Link} href={`/projects/${projectId}/domains`} variant="default" size="xs">
            Use your own domain
          </Button>
        )
      }
    >
      <Stack gap="xs">
        {url !== null && project !== undefined && (
          <Text component="div" fw={600}>
            <Address project={project} />
          </Text>
        )}
        <Text>
          It shows {countOf(shown, 'animal')}: {shown < mostShown ? 'all' : 'the newest'} that are available or pending
          {website.shows === 'withPhoto' && ', have a photo'}, and are published.
        </Text>
        {shown === 0 && (
          <Text>
            <Link href="/animals/import">Import your animals</Link>, or <Link href="/animals?add=1">add one</Link>.
          </Text>
        )}
        <LeftOut profile="unpublished" reason="not published" />
        {website.shows === 'withPhoto' && <LeftOut profile="no-photo" reason="without photo" />}
        {language === 'de' && imprint === null && (
          <Alert role="note" color="amber" title="The Impressum is missing">
            German law requires one on the website of a shop. Enter it below, as the legal notice.
          </Alert>
        )}
      </Stack>
    </Section>
  )
}

/** How many available animals the web shop does not show for a reason, with a link to them. */
function LeftOut({ profile, reason }: { readonly profile: ProfileFilter; readonly reason: string }) {
  const search = new URLSearchParams({ status: 'available', profile })
  const { data } = useQuery(countQuery(filtersOf(search)))
  if (data === undefined || data.count === 0) return null
  return (
    <Text>
      Not shown: <Link href={`/animals?${search}`}>{countOf(data.count, 'animal')}</Link> {reason}.
    </Text>
  )
}

/** What was entered and is not saved. */
const kept = createKept<Partial<Draft>>()

function WebsiteForm({ website }: { readonly website: Website | null }) {
  const current = draftOf(website, navigator.language.startsWith('de') ? 'de' : 'en')
  const fields = useFields<{ readonly [M in keyof Draft]?: string | undefined }>(kept.get() ?? {}, (entered) =>
    kept.set(defined(entered)),
  )
  const { id: accountId } = useSession().account
  const { data: allProjects = [] } = useQuery(allProjectsQuery)
  const projects = allProjects.filter((project) => project.accountId === accountId)
  const entered = defined(fields.values)
  const draft: Draft = { ...current, ...entered }
  const changed = (Object.keys(entered) as (keyof Draft)[]).filter((member) => draft[member] !== current[member])
  const problems = problemsOf(draft)
  useUnsaved({
    subject: 'web shop',
    name: 'the web shop',
    isChanged: changed.length > 0,
    isKept: () => kept.get() !== undefined,
    href: '/web-shop',
  })
  const of = (member: keyof Draft) => ({ ...fields.of(member), value: draft[member] })
  const lines = (member: keyof Draft, label: string, description?: string) => (
    <Textarea {...of(member)} label={label} description={description} autosize minRows={2} maxRows={12} />
  )

  /** Forgets what was entered: the fields show what is stored. */
  function forget(isForgotten: (member: keyof Draft) => boolean = () => true): void {
    const members = (Object.keys(fields.latest()) as (keyof Draft)[]).filter(isForgotten)
    fields.change(Object.fromEntries(members.map((member) => [member, undefined])))
  }

  async function save(): Promise<void> {
    if (fields.reject(problems)) return
    await api.PUT('/store/website', { body: changeOf(draft, changed) })
    await refreshShown()
    forget((member) => fields.latest()[member] === entered[member])
    showDone(website === null ? 'The web shop is created.' : 'The web shop is saved.')
  }

  return (
    <Section title={website === null ? 'Your web shop' : 'Texts'}>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
        <Form
          onSubmit={save}
          action={website === null ? 'Create web shop' : 'Save web shop'}
          isDisabled={website !== null && changed.length === 0}
          buttons={
            website !== null &&
            changed.length > 0 && (
              <Button variant="default" onClick={() => forget()}>
                Discard changes
              </Button>
            )
          }
        >
          <TextInput {...of('name')} label="Name" autoComplete="organization" />
          <TextInput {...of('tagline')} label="Sentence below the name" />
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <NativeSelect {...of('kind')} label="Kind">
              <option value="shop">Shop: animals for sale</option>
              <option value="shelter">Shelter: animals look for a home</option>
            </NativeSelect>
            <NativeSelect {...of('language')} label="Language">
              <option value="en">English</option>
              <option value="de">Deutsch</option>
            </NativeSelect>
            <NativeSelect {...of('shows')} label="Animals">
              <option value="all">All that are published</option>
              <option value="withPhoto">Only those with a photo</option>
            </NativeSelect>
            <TextInput {...of('color')} type="color" label="Color" />
            <TextInput {...of('phone')} type="tel" label="Phone" />
            <TextInput {...of('email')} type="email" label="E-mail" />
            {lines('address', 'Address')}
            {lines('hours', 'Opening hours')}
          </SimpleGrid>
          {lines('about', 'About us', 'Markdown: # for a heading, **bold**, [link](https://…).')}
          {lines(
            'imprint',
            'Legal notice (Impressum)',
            draft.language === 'de'
              ? 'German law requires it: name, address, e-mail, and others such as a register number.'
              : 'Required in some countries, such as Germany.',
          )}
          {lines('privacy', 'Privacy policy', 'Empty: a ready text says that there are no cookies and no scripts.')}
          {projects.length > (website === null ? 0 : 1) && (
            <NativeSelect {...of('projectId')} label="Project" description="The web shop is at its addresses.">
              {website === null && <option value="">A new one</option>}
              {projects.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </NativeSelect>
          )}
        </Form>
        <Preview
          body={changeOf(
            draft,
            changed.filter((member) => problems[member] === undefined),
          )}
          isValid={problems.name === undefined}
        />
      </SimpleGrid>
    </Section>
  )
}

/** The front page, which follows the form as far as that is valid. Its links lead nowhere: their addresses are those of the web shop. */
function Preview({ body, isValid }: { readonly body: WebsiteChange; readonly isValid: boolean }) {
  const [typed] = useDebouncedValue(isValid ? JSON.stringify(body) : '{}', 2 * typingPauseMs)
  const { data } = useQuery({ ...previewQuery(JSON.parse(typed) as WebsiteChange), enabled: typed !== '{}' })
  return (
    // Beside the field that is being filled in.
    <Stack gap={4} pos="sticky" top="4.5rem" style={{ alignSelf: 'start' }}>
      <Text fw={500} size="sm">
        Preview
      </Text>
      {data === undefined ? (
        <Text c="dimmed">Enter a name to see the front page.</Text>
      ) : (
        <iframe
          title="Preview of the front page"
          sandbox=""
          srcDoc={data.html.replace(/(<a [^>]*?) ?href="[^"]*"/g, '$1')}
          style={{ width: '100%', height: 'min(40rem, 80vh)', border: '1px solid var(--mantine-color-default-border)' }}
        />
      )}
    </Stack>
  )
}

/** Deletes the web shop. */
function DeleteSection() {
  async function remove(): Promise<void> {
    await api.DELETE('/store/website')
    showDone('The web shop is deleted.')
  }
  return (
    <Section title="Delete web shop" lead="Visitors no longer see your animals. Its texts and images are deleted.">
      <ConfirmButton title="Delete the web shop?" action="Delete web shop" cancel="Keep web shop" onConfirm={remove}>
        It goes offline at once, and its texts and images are deleted. The animals, and the project with its domains,
        remain. This cannot be undone.
      </ConfirmButton>
    </Section>
  )
}

function ImagesSection({ website }: { readonly website: Website }) {
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
        <Text size="sm" c="dimmed">
          {hint}
        </Text>
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
        <Button variant="default" size="xs" loading={isBusy} onClick={() => picker.current?.click()}>
          {photo === null ? `Add ${noun}` : `Replace ${noun}`}
        </Button>
        {photo !== null && (
          <ChangeButton
            size="xs"
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
