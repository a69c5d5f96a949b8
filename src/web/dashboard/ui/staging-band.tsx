/** Says on every page that the store is not the real one. */

import { Box } from '@mantine/core'

export function StagingBand() {
  return (
    <Box
      component="section"
      aria-label="Environment"
      px="md"
      py="0.2rem"
      bg="amber.3"
      c="#3d2600"
      ta="center"
      fz="0.8125rem"
      fw={650}
    >
      Staging: not your real store
    </Box>
  )
}
