/** An address below /dashboard that is no page. */

import { Button } from '@mantine/core'
import { IconPaw } from '@tabler/icons-react'
import { Link } from 'wouter'
import { Empty } from '../ui/feedback/states.tsx'
import { Page } from '../ui/page.tsx'

export function NotFoundPage() {
  return (
    <Page title="Page not found">
      <Empty
        icon={<IconPaw size={28} />}
        title="There is no page at this address"
        text="The link may be old or mistyped."
        actions={
          <Button component={Link} href="/">
            Open the overview
          </Button>
        }
      />
    </Page>
  )
}
