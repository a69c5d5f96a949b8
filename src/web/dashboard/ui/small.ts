/** Small components of Mantine, as they are in most places. */

import { Button, Text } from '@mantine/core'

/** A text of less importance: a detail, a hint, a time. */
export const Quiet = Text.withProps({ c: 'dimmed', size: 'sm' })

/** A button of a row, a section or a message. */
export const SmallButton = Button.withProps({ size: 'xs', variant: 'default' })
