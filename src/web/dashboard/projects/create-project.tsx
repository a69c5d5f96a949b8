/** The form to make a project. */

import { Button, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { api, bodyOf } from '../api/client.ts'
import { useSession } from '../session/session.ts'
import { AccountField } from '../ui/account-field.tsx'
import { Form, useFields } from '../ui/form.tsx'
import { isolated } from '../ui/format.ts'
import { defined, typingPauseMs } from '../ui/input.ts'
import { showDone } from '../ui/notices.tsx'
import { isAddress, nameInAddress, projectNameProblem } from './name.ts'
import { previewQuery } from './queries.ts'
import './projects.css'

export function CreateProject({ onClose }: { readonly onClose: () => void }) {
  const own = useSession().account
  const [, navigate] = useLocation()
  const { values, wrong, of, change, focus, reject } = useFields({ name: '', account: own.id as number | undefined })

  async function create(isShown: () => boolean): Promise<void> {
    const name = values.name.trim()
    const problems = {
      name: isAddress(name) ? 'This is an address. Enter a name, such as Kiosk.' : projectNameProblem(name),
      account: values.account === undefined ? 'Choose an account.' : undefined,
    }
    if (reject(problems)) return
    const body = { name, ...defined({ accountId: values.account }) }
    const project = await bodyOf(api.POST('/projects', { body }))
    if (isShown()) navigate(`/projects/${project.id}`, { replace: true })
    else showDone(`The project “${isolated(project.name)}” is created.`)
  }

  return (
    <Form onSubmit={create} action="Create project" onCancel={onClose}>
      <TextInput
        {...of('name')}
        label="Name"
        description="What you call the website. Its first address is made from it."
        autoComplete="off"
        data-autofocus
      />
      <NameHint
        name={values.name}
        accountId={values.account ?? own.id}
        onUse={(name) => {
          change({ name })
          focus('name')
        }}
      />
      <AccountField
        value={values.account}
        onChange={(account) => change({ account })}
        error={wrong.account}
        description="Whose website it is: its plan decides whether it can have a domain of its own."
      />
    </Form>
  )
}

interface NameHintProps {
  readonly name: string
  readonly accountId: number
  readonly onUse: (name: string) => void
}

/** The address that a website of that name would have, or a better name. */
function NameHint({ name, accountId, onUse }: NameHintProps) {
  const [settled] = useDebouncedValue(name, typingPauseMs)
  const isUsable = projectNameProblem(settled) === undefined && !isAddress(settled)
  const { data } = useQuery({ ...previewQuery(settled.trim(), accountId), enabled: isUsable })
  const better = nameInAddress(name)
  if (isAddress(name)) {
    return (
      <div className="project-hint" role="status">
        <span>This is an address, not a name. You add a domain of your own after publishing.</span>
        {better !== undefined && (
          <Button size="xs" variant="default" className="long-label" onClick={() => onUse(better)}>
            Use the name “{better}”
          </Button>
        )}
      </div>
    )
  }
  return (
    <div className="project-hint" role="status">
      {data !== undefined && isUsable && (
        <span>
          Its address will be <strong>{data.url === null ? `${data.slug}.…` : new URL(data.url).host}</strong>, and
          stays when you rename it. You can add a domain of your own after publishing.
        </span>
      )}
    </div>
  )
}
