/** The frame of every page: its title in the window and in its heading, the buttons beside it, and the focus. */

import { Badge, Box, Button, Group, Paper, Scroller, Stack, Text, Title } from '@mantine/core'
import { IconArrowLeft } from '@tabler/icons-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { Quiet } from './small.ts'
import './tabs.css'

interface PageProps {
  /** Also the title of the window: "Animals · Pet Store". */
  readonly title: string
  /** A line below the title. */
  readonly lead?: ReactNode
  /** The buttons for the most frequent actions. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

export function Page({ title, lead, actions, children }: PageProps) {
  useTitle(title)
  const heading = useRef<HTMLHeadingElement>(null)
  // Screen readers then announce the page. The first page of a visit leaves the focus where the browser puts it.
  useEffect(() => {
    if (isFollowing) heading.current?.focus({ preventScroll: true })
    isFollowing = true
  }, [])
  return (
    <Stack gap="lg" maw="80rem" mx="auto">
      <header>
        <Group justify="space-between" gap="xs">
          <Title ref={heading} tabIndex={-1} className="breaks">
            {title}
          </Title>
          {actions !== undefined && <Group gap="xs">{actions}</Group>}
        </Group>
        {lead !== undefined && (
          <Text component="div" c="dimmed" maw="48rem" mt={4} className="breaks">
            {lead}
          </Text>
        )}
      </header>
      {children}
    </Stack>
  )
}

let isFollowing = false

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Pet Store`
  }, [title])
}

interface SectionProps {
  readonly title: string
  readonly lead?: ReactNode
  readonly actions?: ReactNode
  /** Whether it shows one step after another, each with a title, which gets the focus. */
  readonly isStep?: boolean
  readonly children: ReactNode
}

/** A part of a page, on its own surface. */
export function Section({ title, lead, actions, isStep = false, children }: SectionProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const shown = useRef(title)
  useEffect(() => {
    if (isStep && shown.current !== title) heading.current?.focus()
    shown.current = title
  }, [isStep, title])
  return (
    <Paper component="section" withBorder p="clamp(1rem, 2vw, 1.25rem)" aria-label={title}>
      <Group component="header" justify="space-between" align="flex-start" gap="sm" mb="md">
        <Box flex="1 1 16rem" miw={0} className="breaks">
          <Title ref={heading} order={2} {...(isStep ? { tabIndex: -1, w: 'fit-content' } : {})}>
            {title}
          </Title>
          {lead !== undefined && (
            <Quiet maw="46rem" mt={2}>
              {lead}
            </Quiet>
          )}
        </Box>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Paper>
  )
}

interface BackLinkProps {
  readonly href: string
  /** The name of the list, or what it shows. */
  readonly children: ReactNode
}

/** Leads back to the list from the page of one record. */
export function BackLink({ href, children }: BackLinkProps) {
  return (
    <Button component={Link} href={href} variant="default" leftSection={<IconArrowLeft size={16} />}>
      {children}
    </Button>
  )
}

export interface Tab {
  readonly href: string
  readonly label: string
  /** A number beside the label, as it is shown. */
  readonly count?: string | undefined
  readonly isCurrent: boolean
}

/** Links between the parts of a page, each with its own address. The current one is scrolled into view. */
export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  const current = useRef<HTMLAnchorElement>(null)
  const currentHref = tabs.find(({ isCurrent }) => isCurrent)?.href
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab is the current one
  useEffect(() => {
    current.current?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [currentHref])
  return (
    <Scroller component="nav" className="tabs" aria-label={label} draggable={false} edgeGradientColor="var(--page)">
      {tabs.map(({ href, label: text, count, isCurrent }) => (
        <Link
          key={href}
          ref={isCurrent ? current : undefined}
          href={href}
          aria-current={isCurrent ? 'page' : undefined}
        >
          {text}
          {count !== undefined && (
            <Badge color="gray" size="md">
              {count}
            </Badge>
          )}
        </Link>
      ))}
    </Scroller>
  )
}
