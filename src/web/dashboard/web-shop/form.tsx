/** The form of the web shop, with a preview. What is entered and not saved is kept while the page is left. */

import { Button, NativeSelect, SimpleGrid, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { refreshShown } from '../api/queries.ts'
import { allProjectsQuery } from '../projects/queries.ts'
import { createKept, useSession } from '../session/session.ts'
import { Form, useFields } from '../ui/form.tsx'
import { defined, typingPauseMs } from '../ui/input.ts'
import { showDone } from '../ui/notices.tsx'
import { Section } from '../ui/page.tsx'
import { useUnsaved } from '../ui/unsaved.ts'
import { changeOf, type Draft, draftOf, problemsOf } from './draft.ts'
import { previewQuery, type Website, type WebsiteChange } from './queries.ts'

const kept = createKept<Partial<Draft>>()

export function WebsiteForm({ website }: { readonly website: Website | null }) {
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
              <option value="shelter">Shelter: animals to adopt</option>
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
