/** The colours of the dashboard: those of the page at /docs, in the steps that Mantine's components use. */

import type { MantineColorsTuple } from '@mantine/core'

/** From pale to dark; the eighth is the green of the masthead and of the paw. */
export const brand: MantineColorsTuple = [
  '#eef7f4',
  '#dcefe9',
  '#b4decf',
  '#7fd4bf',
  '#55c0a6',
  '#2fa489',
  '#1c8a70',
  '#14705b',
  '#0f5c4d',
  '#0b463b',
]

/** Greys with some green, for lines, panels and quiet text in the light scheme. */
export const gray: MantineColorsTuple = [
  '#f4f7f6',
  '#e9eeec',
  '#dfe5e3',
  '#d5dcd9',
  '#c3ccc9',
  '#7d8985',
  '#55625e',
  '#45524e',
  '#33403c',
  '#22302c',
]

/** Text, lines and surfaces of the dark scheme, from the text to the deepest surface. */
export const dark: MantineColorsTuple = [
  '#e4e9e7',
  '#c6cfcc',
  '#a9b4b0',
  '#8f9b97',
  '#4c5955',
  '#38423f',
  '#2b3436',
  '#1c2022',
  '#171a1c',
  '#111415',
]

export const red: MantineColorsTuple = [
  '#fdf0ee',
  '#fbdeda',
  '#f5bcb6',
  '#ff9d96',
  '#ee7a71',
  '#dd554b',
  '#c6392f',
  '#b3261e',
  '#a3201a',
  '#7d1711',
]

export const amber: MantineColorsTuple = [
  '#fff8ea',
  '#fff0d2',
  '#ffe0ab',
  '#ffcf8a',
  '#f5b04d',
  '#dd9122',
  '#b87006',
  '#9c5d00',
  '#8a5300',
  '#633b00',
]

export const blue: MantineColorsTuple = [
  '#eef5fc',
  '#dbe9f8',
  '#b7d2f0',
  '#9cc4f0',
  '#6ba3e0',
  '#4285cd',
  '#2b6fb9',
  '#1d5fa8',
  '#174f8c',
  '#123b69',
]
