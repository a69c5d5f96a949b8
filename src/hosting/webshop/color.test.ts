import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { contrast, readableColor, schemes } from './color.ts'
import { styleSheet } from './style.ts'

const anyColor = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`)

test('any color becomes one that is readable on every background, and buttons are readable on it', () => {
  fc.assert(
    fc.property(anyColor, (color) => {
      for (const scheme of Object.values(schemes)) {
        const readable = readableColor(color, scheme)
        for (const background of scheme.backgrounds) {
          expect(contrast(readable, background)).toBeGreaterThanOrEqual(4.5)
        }
      }
    }),
    { examples: ['#000000', '#ffffff', '#808080', '#ffff00', '#0000ff'].map((color) => [color]) },
  )
})

test('a color with contrast is left as it is, and contrast is that of WCAG', () => {
  expect(readableColor('#0f6b57', schemes.light)).toBe('#0f6b57')
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21)
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2)
})

test('the style sheet of a color has it in both schemes, and no address', () => {
  const css = styleSheet('#ffee00')
  expect(css).toMatch(
    /^:root\{--accent:#[0-9a-f]{6};--on-accent:#fff\}\n@media screen and \(prefers-color-scheme:dark\)/,
  )
  expect(css).toContain('{:root{--accent:#ffee00;')
  expect(css).not.toMatch(/url|import|http/)
  expect(css.length).toBeLessThan(8_000)
})
