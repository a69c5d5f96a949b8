/** The website of a project: where files are dropped to publish it, its address, and its deploys. */

import { Alert, Box, Button, Group, Progress, Stack, Table, Text } from '@mantine/core'
import { IconCloudUpload } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useAccountNames } from '../api/accounts.ts'
import { CertificateState } from '../domains/certificate.tsx'
import { ChangeButton } from '../ui/change.tsx'
import { Drop, FileInput } from '../ui/drop.tsx'
import { Fact, Facts } from '../ui/facts.tsx'
import { FormError } from '../ui/form.tsx'
import { countOf, formatBytes } from '../ui/format.ts'
import { Moment } from '../ui/moment.tsx'
import { NewTabLink } from '../ui/new-tab-link.tsx'
import { showDone, showUndo } from '../ui/notices.tsx'
import { Section } from '../ui/page.tsx'
import { Quiet, SmallButton } from '../ui/small.ts'
import { Empty, Loaded, LoadingRows } from '../ui/states.tsx'
import { Status } from '../ui/status.tsx'
import { buttons, RecordTable, ShowMore, wide } from '../ui/table.tsx'
import { publish, usePublishing } from './publishing.ts'
import { type Deploy, deploysQuery, type Project, promote } from './queries.ts'
import { firstSiteOf, liveStateOf, liveWords, useSite } from './site.tsx'
import { filesOfDrop, filesOfInput } from './site-files.ts'

interface ProjectProps {
  readonly project: Project
}

export function WebsiteTab({ project }: ProjectProps) {
  return (
    <>
      <DropZone project={project} />
      <AddressSection project={project} />
      <Deploys project={project} />
    </>
  )
}

function DropZone({ project }: ProjectProps) {
  const { running, problem, error } = usePublishing(project.id)
  /** Whether something was dropped while something else is being published. */
  const [isTooEarly, setTooEarly] = useState(false)
  const folderInput = useRef<HTMLInputElement>(null)
  const archiveInput = useRef<HTMLInputElement>(null)

  function onDrop({ items }: DataTransfer): void {
    setTooEarly(running !== undefined)
    if (running === undefined) void publish(project, filesOfDrop(items))
  }

  function onChoose(files: FileList): void {
    setTooEarly(false)
    void publish(project, Promise.resolve(filesOfInput(files)))
  }

  return (
    <Drop onDrop={onDrop}>
      {running === undefined ? (
        <>
          <IconCloudUpload size={36} aria-hidden="true" />
          <Text size="lg" fw={650} className="drop-mouse">
            Drop the folder with your website here
          </Text>
          <Text size="lg" fw={650} className="drop-touch">
            Choose the .zip file with your website
          </Text>
          <Quiet>
            <span className="drop-mouse">Or a .zip or .tar.gz file.</span>{' '}
            <span className="drop-touch">Or its folder, if your phone lets you.</span>{' '}
            {project.hasWebshop
              ? 'A file such as about.html replaces the page /about of the web shop.'
              : 'It needs an index.html.'}
          </Quiet>
          <Group justify="center" gap="xs" mt="xs">
            <Button onClick={() => folderInput.current?.click()}>Choose folder</Button>
            <Button variant="default" onClick={() => archiveInput.current?.click()}>
              Choose file
            </Button>
          </Group>
        </>
      ) : (
        <Stack role="status" w="min(24rem, 100%)">
          <Text>{running.text}</Text>
          {isTooEarly && (
            <Quiet>Drop the next files when this is done{running.cancel && ', or cancel it first'}.</Quiet>
          )}
          <Progress
            value={(running.part ?? 1) * 100}
            animated={running.part === undefined}
            aria-label="Progress of the upload"
          />
          {running.cancel && (
            <SmallButton mx="auto" onClick={running.cancel}>
              Cancel upload
            </SmallButton>
          )}
        </Stack>
      )}
      {problem !== undefined && <Alert color="red">{problem}</Alert>}
      {error !== undefined && <FormError error={error} />}
      <FileInput ref={folderInput} label="Folder with the website" multiple isFolder onChoose={onChoose} />
      <FileInput ref={archiveInput} label="Archive or files of the website" multiple onChoose={onChoose} />
    </Drop>
  )
}

/** Where the website is: its addresses with the certificate, and the account that owns it. */
function AddressSection({ project }: ProjectProps) {
  const { certificate, accountId } = project
  const first = firstSiteOf(project)
  const site = useSite(project)
  const accountName = useAccountNames([accountId])
  return (
    <Section title="Address">
      <Facts>
        {site !== undefined && (
          // A link once the website can be opened: until then, a browser would only show an error.
          <Fact label="Website">{site.isOpen ? <NewTabLink href={site.url}>{site.url}</NewTabLink> : site.url}</Fact>
        )}
        {first !== undefined && first.url !== site?.url && (
          <Fact label="First address">
            {first.host} <Quiet span>redirects to {site?.host}</Quiet>
          </Fact>
        )}
        {certificate !== null && (
          <Fact label={first?.url === site?.url ? 'Certificate' : 'Its certificate'}>
            {certificate.status === 'none' ? (
              <Quiet>Ordered once the website is published.</Quiet>
            ) : (
              <CertificateState certificate={certificate} />
            )}
          </Fact>
        )}
        <Fact label="Account">{accountName(accountId)}</Fact>
      </Facts>
    </Section>
  )
}

/** The deploys, the newest first. An earlier one can go live again. */
function Deploys({ project }: ProjectProps) {
  const query = useInfiniteQuery(deploysQuery(project.id))
  return (
    <Section
      title="Deploys"
      lead="The versions of your website that you have published. The live one and the ten before it are kept."
    >
      <Loaded query={query} loading={<LoadingRows rows={3} />}>
        {(deploys) =>
          deploys.length === 0 ? (
            <Empty
              title="Nothing published yet"
              text={
                project.hasWebshop
                  ? 'The web shop is at this address. A file that you publish above replaces its page.'
                  : project.url === null
                    ? 'Publish the folder of your website above. It goes online once hosting is on.'
                    : 'Publish the folder of your website above to put it online.'
              }
            />
          ) : (
            <>
              <RecordTable isInSection columns={['Deploy', wide('Content'), wide('State'), buttons('Actions')]}>
                {deploys.map((deploy) => (
                  <Row key={deploy.id} deploy={deploy} project={project} />
                ))}
              </RecordTable>
              <ShowMore query={query} label="Show older deploys" />
            </>
          )
        }
      </Loaded>
    </Section>
  )
}

function Row({ deploy, project }: ProjectProps & { readonly deploy: Deploy }) {
  const content = `${countOf(deploy.fileCount, 'file')}, ${formatBytes(deploy.bytes)}`
  const { id, projectId } = deploy
  const liveId = project.liveDeploy?.id ?? 0
  const site = useSite(project)
  const state = <Status of={deploy.isLive ? liveStateOf(site) : ['Kept', 'quiet']} />

  async function makeLive(): Promise<void> {
    await promote(projectId, id)
    const subject = `live deploy ${projectId}`
    const undo = async () => {
      await promote(projectId, liveId)
      showDone(liveWords(project, `Deploy ${liveId}`, true), { subject })
    }
    showUndo(liveWords(project, `Deploy ${id}`, true), undo, { subject })
  }

  return (
    <Table.Tr>
      <Table.Td>
        <Moment time={deploy.createdAt} />
        <Quiet>Deploy {id}</Quiet>
        <Quiet hiddenFrom="sm">{content}</Quiet>
        <Box hiddenFrom="sm">{state}</Box>
      </Table.Td>
      <Table.Td visibleFrom="sm">{content}</Table.Td>
      <Table.Td visibleFrom="sm">{state}</Table.Td>
      <Table.Td ta="end">
        {!deploy.isLive && (
          <ChangeButton
            aria-label={id < liveId ? `Roll back to deploy ${id}` : `Make live: deploy ${id}`}
            change={makeLive}
          >
            {id < liveId ? 'Roll back' : 'Make live'}
          </ChangeButton>
        )}
      </Table.Td>
    </Table.Tr>
  )
}
