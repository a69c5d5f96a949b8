/** The theme of Mantine's components: colours, type and sizes of the dashboard. Its colours are those of the page at /docs. */

import {
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
} from '@mantine/core'

/** From pale to dark; the eighth is the green of the masthead and of the paw. */
const brand: MantineColorsTuple = [
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
const gray: MantineColorsTuple = [
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
const dark: MantineColorsTuple = [
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

const red: MantineColorsTuple = [
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

const amber: MantineColorsTuple = [
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

const blue: MantineColorsTuple = [
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

const sans = 'system-ui, sans-serif'
const mono = 'ui-monospace, monospace'

// Else the header of a dialog counts as a second banner of the page.
const dialogAttributes = { header: { role: 'presentation' } }

export const theme = createTheme({
  colors: { brand, gray, dark, red, amber, blue },
  primaryColor: 'brand',
  primaryShade: { light: 8, dark: 3 },
  black: '#22302c',
  // White on the dark green; in the dark scheme, dark text on its pale green.
  variantColorResolver: (input) => {
    const colors = defaultVariantColorsResolver(input)
    return input.variant === 'filled' ? { ...colors, color: 'var(--on-filled)' } : colors
  },
  fontFamily: sans,
  fontFamilyMonospace: mono,
  headings: {
    fontFamily: sans,
    fontWeight: '650',
    sizes: {
      h1: { fontSize: 'clamp(1.5rem, 4vw, 1.75rem)', lineHeight: '1.25' },
      h2: { fontSize: '1.1rem', lineHeight: '1.4' },
      h3: { fontSize: '1rem', lineHeight: '1.4' },
    },
  },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Button: { defaultProps: { variant: 'filled' } },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray' } },
    Alert: { defaultProps: { variant: 'light' } },
    Badge: { defaultProps: { variant: 'light', size: 'lg', tt: 'none', fw: 600 } },
    NavLink: { defaultProps: { bdrs: 'md' } },
    Table: { defaultProps: { fz: 'md', verticalSpacing: 'xs' } },
    // Without a name, screen readers would announce only "button".
    CloseButton: { defaultProps: { 'aria-label': 'Close' } },
    PasswordInput: {
      defaultProps: { visibilityToggleButtonProps: { 'aria-label': 'Show or hide the password', tabIndex: 0 } },
    },
    Modal: {
      defaultProps: {
        centered: true,
        closeButtonProps: { 'aria-label': 'Close' },
        overlayProps: { opacity: 0.55 },
        attributes: dialogAttributes,
      },
    },
    Drawer: {
      defaultProps: { position: 'right', closeButtonProps: { 'aria-label': 'Close' }, attributes: dialogAttributes },
    },
    Menu: {
      defaultProps: { position: 'bottom-end', portalProps: { target: '#main' }, withInitialFocusPlaceholder: false },
    },
  },
})

/** Colours that Mantine derives with too little contrast, and the surfaces of the shell. */
export const resolveVariables: CSSVariablesResolver = () => ({
  // The same in both schemes: other names of Mantine's colours.
  variables: {
    '--line': 'var(--mantine-color-default-border)',
    '--quiet': 'var(--mantine-color-dimmed)',
    '--accent': 'var(--mantine-color-brand-light-color)',
    '--accent-panel': 'var(--mantine-color-brand-light)',
    '--warn': 'var(--mantine-color-amber-light-color)',
    '--warn-panel': 'var(--mantine-color-amber-light)',
    '--bad': 'var(--mantine-color-error)',
    '--info': 'var(--mantine-color-blue-light-color)',
  },
  light: {
    '--mantine-color-placeholder': '#68746f',
    '--mantine-color-error': '#a3201a',
    '--mantine-color-default-border': '#d5dcd9',
    '--mantine-color-disabled-color': '#68746f',
    '--mantine-color-dimmed': '#55625e',
    '--mantine-color-brand-light': '#e3f1ec',
    '--mantine-color-brand-light-color': '#0f5c4d',
    '--mantine-color-amber-light': '#fff3dc',
    '--mantine-color-amber-light-color': '#8a5300',
    '--mantine-color-red-light': '#fdf0ee',
    '--mantine-color-red-light-color': '#a3201a',
    '--mantine-color-blue-light': '#eaf2fb',
    '--mantine-color-blue-light-color': '#174f8c',
    '--mantine-color-gray-light': '#e9eeec',
    '--mantine-color-gray-light-color': '#55625e',
    '--on-filled': '#ffffff',
    '--page': '#f4f7f6',
    '--surface': '#ffffff',
    '--control-line': '#7d8985',
    '--hover': '#eef3f1',
    '--good': '#1a7047',
  },
  dark: {
    '--mantine-color-placeholder': '#98a39f',
    '--mantine-color-error': '#ff9d96',
    '--mantine-color-default-border': '#38423f',
    '--mantine-color-disabled-color': '#8f9b97',
    '--mantine-color-dimmed': '#a9b4b0',
    '--mantine-color-brand-light': '#183a33',
    '--mantine-color-brand-light-color': '#7fd4bf',
    '--mantine-color-amber-light': '#3d2c10',
    '--mantine-color-amber-light-color': '#ffcf8a',
    '--mantine-color-red-light': '#3f1c1a',
    '--mantine-color-red-light-color': '#ff9d96',
    '--mantine-color-blue-light': '#16293d',
    '--mantine-color-blue-light-color': '#9cc4f0',
    '--mantine-color-gray-light': '#2b3436',
    '--mantine-color-gray-light-color': '#a9b4b0',
    '--mantine-color-brand-light-hover': '#1b453b',
    '--mantine-color-anchor': '#7fd4bf',
    '--on-filled': '#10211c',
    '--page': '#16191b',
    '--surface': '#1c2022',
    '--control-line': '#828d89',
    '--hover': '#242a2c',
    '--good': '#7fd4a3',
  },
})
