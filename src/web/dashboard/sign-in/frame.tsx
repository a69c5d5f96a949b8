/** The frame of the pages without a session: the paw, and a card with a form. Its first empty field gets the focus. */

import { Alert, Box, Flex, Group, Paper, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
import { useTitle } from '../ui/page.tsx'
import { Paw } from '../ui/paw.tsx'
import { StagingBand } from '../ui/staging-band.tsx'
import './frame.css'

interface FrameProps {
  readonly title: string
  readonly isStaging?: boolean
  readonly children: ReactNode
}

export function Frame({ title, isStaging = false, children }: FrameProps) {
  useTitle(title)
  const main = useRef<HTMLElement>(null)
  useEffect(() => {
    const fields = main.current?.querySelectorAll('input') ?? []
    Array.from(fields)
      .find(({ value }) => value === '')
      ?.focus()
  }, [])
  return (
    <main ref={main}>
      <Flex
        direction="column"
        align="center"
        mih="100dvh"
        px="md"
        pt="clamp(1.5rem, 9dvh, 7rem)"
        pb="1.5rem"
        className="entrance"
      >
        {isStaging && (
          <Box pos="absolute" top={0} left={0} right={0}>
            <StagingBand />
          </Box>
        )}
        <Group gap="sm" mb="1.75rem" c="white" fz="1.6rem" fw={650} lts="-0.02em">
          <Paw size={40} />
          Pet Store
        </Group>
        <Paper withBorder shadow="md" p="xl" w="min(26rem, 100%)">
          <Title fz="1.4rem" mb="md">
            {title}
          </Title>
          {children}
        </Paper>
        <Text size="sm" mt="auto" pt="lg">
          <a href="/docs">API documentation</a>
        </Text>
      </Flex>
    </main>
  )
}

interface UnsafeConnectionProps {
  readonly message: string
  readonly isStaging?: boolean
}

/** The password could be read in transit: instead of a form, the page says how to reach the store safely. */
export function UnsafeConnection({ message, isStaging = false }: UnsafeConnectionProps) {
  return (
    <Frame title="This connection is not safe" isStaging={isStaging}>
      <Alert color="amber">{message}</Alert>
    </Frame>
  )
}
