/** The page of the web shop: what visitors see of it, its form, its images, and the way to delete it. */

import { Alert, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { filtersOf, type ProfileFilter } from '../animals/filters.ts'
import { countQuery } from '../animals/queries.ts'
import { api } from '../api/client.ts'
import { systemQuery } from '../api/system.ts'
import { HostingOff } from '../projects/hosting-off.tsx'
import { projectQuery } from '../projects/queries.ts'
import { Address } from '../projects/site.tsx'
import { ConfirmButton } from '../ui/form.tsx'
import { countOf } from '../ui/format.ts'
import { showDone } from '../ui/notices.tsx'
import { Page, Section } from '../ui/page.tsx'
import { SmallButton } from '../ui/small.ts'
import { Loaded } from '../ui/states.tsx'
import { WebsiteForm } from './form.tsx'
import { ImagesSection } from './images.tsx'
import { type Website, websiteQuery } from './queries.ts'

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
          <SmallButton component={Link} href={`/projects/${projectId}/domains`}>
            Use your own domain
          </SmallButton>
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
