/** The deploys of a project, the newest first. An earlier one can go live again. */

import { Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { showDone, showFailure } from '../../ui/feedback/notices.ts'
import { Empty, Failure, LoadingRows } from '../../ui/feedback/states.tsx'
import { showUndo } from '../../ui/feedback/undo.tsx'
import { countOf, formatBytes } from '../../ui/format.ts'
import { Moment } from '../../ui/moment.tsx'
import { Section } from '../../ui/page.tsx'
import { Status } from '../../ui/status.tsx'
import { ShowMore, TableHead } from '../../ui/table.tsx'
import { LiveStatus } from '../live-status.tsx'
import { type Deploy, deploysQuery, type Project, promote } from '../queries.ts'
import { liveWords } from '../site.ts'

export function Deploys({ project }: { readonly project: Project }) {
  const query = useInfiniteQuery(deploysQuery(project.id))
  const { data, error, refetch } = query
  const deploys = data?.pages.flatMap(({ items }) => items)
  return (
    <Section
      title="Deploys"
      lead="The versions of your website that you published. The live one and the ten before it are kept."
    >
      {deploys === undefined ? (
        error === null ? (
          <LoadingRows rows={3} />
        ) : (
          <Failure error={error} onRetry={() => void refetch()} />
        )
      ) : deploys.length === 0 ? (
        <Empty
          title="Nothing published yet"
          text={
            project.url === null
              ? 'Publish the folder of your website above. It goes online once hosting is on.'
              : 'Publish the folder of your website above, and it is online.'
          }
        />
      ) : (
        <div className="table-scroll">
          <table className="table">
            <TableHead columns={['Deploy', { wide: 'Content' }, { wide: 'State' }, { hidden: 'Actions' }]} />
            <tbody>
              {deploys.map((deploy) => (
                <Row key={deploy.id} deploy={deploy} project={project} />
              ))}
            </tbody>
          </table>
          <ShowMore query={query} label="Show older deploys" />
        </div>
      )}
    </Section>
  )
}

interface RowProps {
  readonly deploy: Deploy
  readonly project: Project
}

function Row({ deploy, project }: RowProps) {
  const [isBusy, setBusy] = useState(false)
  const content = `${countOf(deploy.fileCount, 'file')}, ${formatBytes(deploy.bytes)}`
  const { id, projectId } = deploy
  const liveId = project.liveDeploy?.id ?? 0
  const action = id < liveId ? 'Roll back' : 'Make live'

  const state = deploy.isLive ? <LiveStatus project={project} /> : <Status tone="quiet">Kept</Status>

  async function makeLive(): Promise<void> {
    setBusy(true)
    try {
      await promote(projectId, id)
      const subject = `live deploy ${projectId}`
      const undo = async () => {
        await promote(projectId, liveId)
        showDone(liveWords(project, `Deploy ${liveId}`, true), { subject })
      }
      showUndo(liveWords(project, `Deploy ${id}`, true), undo, { subject })
    } catch (error) {
      showFailure(error)
    } finally {
      setBusy(false)
    }
  }

  return (
    <tr>
      <td>
        <Moment time={deploy.createdAt} />
        <div className="quiet">no. {deploy.id}</div>
        <div className="quiet narrow">{content}</div>
        <div className="narrow">{state}</div>
      </td>
      <td className="wide">{content}</td>
      <td className="wide">{state}</td>
      <td className="table-actions">
        {!deploy.isLive && (
          <Button
            size="xs"
            variant="default"
            loading={isBusy}
            aria-label={id < liveId ? `Roll back to deploy ${id}` : `Make live: deploy ${id}`}
            onClick={() => void makeLive()}
          >
            {action}
          </Button>
        )}
      </td>
    </tr>
  )
}
