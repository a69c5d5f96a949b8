/** The first steps with a new store. They disappear when they are done or dismissed. */

import { Box, Button, Flex, Group, Text } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { IconCircle, IconCircleCheckFilled } from '@tabler/icons-react'
import { queryOptions } from '@tanstack/react-query'
import { Link } from 'wouter'
import { api, type Schemas } from '../api/client.ts'
import { pageOf } from '../api/lists.ts'
import { queryClient } from '../api/queries.ts'
import { systemQuery } from '../api/system.ts'
import { countOf } from '../ui/format.ts'
import { Section } from '../ui/page.tsx'

/** Whether the first steps with the store are done. */
interface FirstSteps {
  /** Whether animals have been imported; other animals can be there without. */
  readonly hasImport: boolean
  readonly hasKey: boolean
  /** Undefined while hosting is off: nobody could see one. */
  readonly hasSite: boolean | undefined
}

export const firstStepsQuery = queryOptions({
  queryKey: ['overview', 'steps'],
  queryFn: async ({ signal }): Promise<FirstSteps> => {
    const [imports, created, projects, system] = await Promise.all([
      pageOf(api.GET('/imports', { params: { query: { limit: 1 } }, signal })),
      pageOf(api.GET('/audit', { params: { query: { action: 'key.created', limit: 100 } }, signal })),
      pageOf(api.GET('/projects', { params: { query: { limit: 100 } }, signal })),
      queryClient.ensureQueryData(systemQuery),
    ])
    return {
      hasImport: imports.items.length > 0,
      // The first start of a store prints a key, which nobody has requested.
      hasKey: created.items.some(({ actor }) => actor !== 'system'),
      hasSite: system.sitesDomain === null ? undefined : projects.items.some(({ liveDeploy }) => liveDeploy !== null),
    }
  },
  meta: { topics: ['imports', 'keys', 'projects', 'deploys'] },
})

const memory = 'petstore-first-steps'

interface Step {
  readonly label: string
  readonly text: string
  readonly href: string
  readonly isDone: boolean
  /** Stands below a step that is done. */
  readonly done?: string
}

interface ChecklistProps {
  readonly animals: Schemas['Overview']['animals']
  /** Undefined if they could not be loaded. */
  readonly steps: FirstSteps | undefined
}

export function Checklist({ animals, steps: data }: ChecklistProps) {
  const [isDismissed, setDismissed] = useLocalStorage({
    key: memory,
    defaultValue: false,
    getInitialValueInEffect: false,
  })
  if (data === undefined || isDismissed) return null
  const count = animals.available + animals.pending + animals.sold
  const steps: readonly Step[] = [
    {
      label: 'Import your animals',
      text: 'From a spreadsheet or another program.',
      href: '/animals/import',
      isDone: count > 0,
      ...(data.hasImport ? {} : { done: `${countOf(count, 'animal')} ${count === 1 ? 'is' : 'are'} here already` }),
    },
    {
      label: 'Create a key',
      text: 'For your website, a partner or a script.',
      href: '/keys?create=1',
      isDone: data.hasKey,
    },
    ...(data.hasSite === undefined
      ? []
      : [
          {
            label: 'Publish a website',
            text: 'Drop a folder, and it is online.',
            href: '/projects',
            isDone: data.hasSite,
          },
        ]),
  ]
  if (steps.every(({ isDone }) => isDone)) return null
  const doneSteps = steps.filter(({ isDone }) => isDone).length

  return (
    <Section
      title="First steps"
      lead={`${doneSteps} of ${steps.length} done`}
      actions={
        <Button size="xs" variant="default" onClick={() => setDismissed(true)}>
          Hide first steps
        </Button>
      }
    >
      <Flex component="ol" className="plain-list" wrap="wrap" gap="md">
        {steps.map(({ label, text, href, isDone, done = 'Done' }) => (
          <Group key={href} component="li" flex="1 1 14rem" gap="sm" wrap="nowrap" align="flex-start">
            <Box flex="none" c={isDone ? 'var(--good)' : 'var(--control-line)'} aria-hidden="true">
              {isDone ? <IconCircleCheckFilled size={24} /> : <IconCircle size={24} />}
            </Box>
            <div>
              <Text fw={600} {...(isDone ? { c: 'dimmed' } : {})}>
                {isDone ? label : <Link href={href}>{label}</Link>}
              </Text>
              <Text size="sm" c="dimmed">
                {isDone ? done : text}
              </Text>
            </div>
          </Group>
        ))}
      </Flex>
    </Section>
  )
}
