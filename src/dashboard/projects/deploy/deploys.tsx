/** The deploys of a project, the newest first. An earlier one can go live again. */

import { Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { showDone, showFailure } from '../../ui/feedback/notices.ts'
import { Empty, Failure, LoadingRows } from '../../ui/feedback/states.tsx'
import { countOf, formatBytes } from '../../ui/format.ts'
import { Moment } from '../../ui/moment.tsx'
import { Section } from '../../ui/page.tsx'
import { Status } from '../../ui/status.tsx'
import { type Deploy, deploysQuery, refreshProjects } from '../queries.ts'

export function Deploys({ projectId }: { readonly projectId: number }) {
  const query = useInfiniteQuery(deploysQuery(projectId))
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = query
  const deploys = data?.pages.flatMap(({ items }) => items)
  return (
    <Section title="Deploys" lead="What you published. The live one and the ten before it are kept.">
      {deploys === undefined ? (
        error === null ? (
          <LoadingRows rows={3} />
        ) : (
          <Failure error={error} onRetry={() => void refetch()} />
        )
      ) : deploys.length === 0 ? (
        <Empty title="Nothing published yet" text="Drop a folder above, and it is online." />
      ) : (
        <div className="table-scroll">
          <table className="table">
            <thead>
              <tr>
                <th scope="col">Deploy</th>
                <th scope="col" className="wide">
                  Content
                </th>
                <th scope="col">State</th>
                <th scope="col">
                  <span className="visually-hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {deploys.map((deploy) => (
                <Row key={deploy.id} deploy={deploy} />
              ))}
            </tbody>
          </table>
          {hasNextPage && (
            <div className="table-more">
              <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
                Show older deploys
              </Button>
            </div>
          )}
        </div>
      )}
    </Section>
  )
}

function Row({ deploy }: { readonly deploy: Deploy }) {
  const [isBusy, setBusy] = useState(false)
  const content = `${countOf(deploy.fileCount, 'file')}, ${formatBytes(deploy.bytes)}`

  async function rollBack(): Promise<void> {
    setBusy(true)
    try {
      const path = { projectId: deploy.projectId, deployId: deploy.id }
      await api.POST('/projects/{projectId}/deploys/{deployId}/promote', { params: { path } })
      await refreshProjects()
      showDone(`Deploy ${deploy.id} is live again.`)
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
      </td>
      <td className="wide">{content}</td>
      <td>{deploy.isLive ? <Status tone="good">Live</Status> : <Status tone="quiet">Kept</Status>}</td>
      <td className="table-actions">
        {!deploy.isLive && (
          <Button
            size="xs"
            variant="default"
            loading={isBusy}
            aria-label={`Roll back to deploy ${deploy.id}`}
            onClick={() => void rollBack()}
          >
            Roll back
          </Button>
        )}
      </td>
    </tr>
  )
}
