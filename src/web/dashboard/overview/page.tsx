/** The overview: how the store is doing, and what needs the owner. */

import { useQuery } from '@tanstack/react-query'
import { Loaded, LoadingRows } from '../ui/feedback/states.tsx'
import { Page } from '../ui/page.tsx'
import { Activity } from './activity.tsx'
import { AttentionSection } from './attention.tsx'
import { Checklist } from './checklist.tsx'
import { firstStepsQuery, overviewQuery } from './queries.ts'
import { Tiles } from './tiles.tsx'
import './overview.css'

export function OverviewPage() {
  const query = useQuery(overviewQuery)
  const steps = useQuery(firstStepsQuery)
  return (
    <Page title="Overview">
      {/* All at once, so that nothing moves. */}
      <Loaded
        query={steps.isPending ? { ...query, data: undefined } : query}
        loading={<LoadingRows rows={6} height={72} label="Loading the overview…" />}
      >
        {(overview) => (
          <>
            <Checklist overview={overview} steps={steps.data} />
            <Tiles overview={overview} />
            <div className="overview-columns">
              <AttentionSection attention={overview.attention} />
              <Activity overview={overview} />
            </div>
          </>
        )}
      </Loaded>
    </Page>
  )
}
