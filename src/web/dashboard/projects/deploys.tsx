/** The deploys of a project, the newest first. An earlier one can go live again. */

import { Box, Table, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { ChangeButton } from '../ui/change.tsx'
import { countOf, formatBytes } from '../ui/format.ts'
import { Moment } from '../ui/moment.tsx'
import { showDone, showUndo } from '../ui/notices.tsx'
import { Section } from '../ui/page.tsx'
import { Empty, Loaded, LoadingRows } from '../ui/states.tsx'
import { Status } from '../ui/status.tsx'
import { buttons, RecordTable, ShowMore, wide } from '../ui/table.tsx'
import { type Deploy, deploysQuery, type Project, promote } from './queries.ts'
import { liveStateOf, liveWords, useSite } from './site.ts'

export function Deploys({ project }: { readonly project: Project }) {
  const query = useInfiniteQuery(deploysQuery(project.id))
  return (
    <Section
      title="Deploys"
      lead="The versions of your website that you published. The live one and the ten before it are kept."
    >
      <Loaded query={query} loading={<LoadingRows rows={3} />}>
        {(deploys) =>
          deploys.length === 0 ? (
            <Empty
              title="Nothing published yet"
              text={
                project.url === null
                  ? 'Publish the folder of your website above. It goes online once hosting is on.'
                  : 'Publish the folder of your website above, and it is online.'
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

interface RowProps {
  readonly deploy: Deploy
  readonly project: Project
}

function Row({ deploy, project }: RowProps) {
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
        <div className="quiet">no. {deploy.id}</div>
        <Text component="div" c="dimmed" size="sm" hiddenFrom="sm">
          {content}
        </Text>
        <Box hiddenFrom="sm">{state}</Box>
      </Table.Td>
      <Table.Td visibleFrom="sm">{content}</Table.Td>
      <Table.Td visibleFrom="sm">{state}</Table.Td>
      <Table.Td ta="end">
        {!deploy.isLive && (
          <ChangeButton
            size="xs"
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
