import { expect, test } from 'bun:test'
import { HtmlValidate } from 'html-validate'
import { photoExample } from '../../../shop/photos/schemas.ts'
import type { Profile } from '../../../shop/profiles/schemas.ts'
import { firstPage } from '../addresses.ts'
import type { PageContent, ShopView } from '../view.ts'
import { createRenderer } from './render.tsx'

const hostile = `</script><b>"&' \u202e<!-- ]]>`
const photo = { ...photoExample, alt: null }

const animal: Profile = {
  petId: 1,
  pet: { id: 1, name: 'Ada', categoryId: 2, status: 'available' },
  ...{
    number: 'A-1',
    breed: 'Tabby',
    color: 'Red',
    sex: 'female',
    birthDate: '2024-03',
    microchip: '276098',
    price: 0,
  },
  ...{ currency: 'EUR', published: true, photos: [photo, { ...photoExample, id: 8 }, photo], updatedAt: null },
  description:
    '# Character\n\n| a | b |\n|:-:|--:|\n| 1 | 2 |\n\n- [x] calm\n\n```js\n1 < 2\n```\n\n<b>\n\n---\n\n1. one',
  attributes: [{ label: hostile, text: hostile }],
}
const bare: Profile = {
  ...{ petId: 2, pet: { id: 2, name: hostile, categoryId: 3, status: 'pending' }, number: null, breed: null },
  ...{ color: null, sex: null, birthDate: null, microchip: null, price: null, currency: null, description: null },
  ...{ attributes: [], published: true, photos: [], updatedAt: null },
}
const animals = [animal, bare, { ...bare, ...{ petId: 3, description: hostile, number: hostile, price: 100 } }]
const sold: Profile = { ...animal, pet: { ...animal.pet, status: 'sold' } }

const contents: readonly PageContent[] = [
  { page: 'home', newest: animals },
  { page: 'home', newest: [] },
  { page: 'animals', query: firstPage, animals, found: 1_234 },
  { page: 'animals', query: { category: 2, sex: 'female', sort: 'price', page: 2 }, animals, found: 60 },
  { page: 'animals', query: firstPage, animals: [], found: 0 },
  ...[...animals, sold].map((one) => ({ page: 'animal', animal: one }) as const),
  ...(['about', 'imprint', 'privacy', 'notFound'] as const).map((page) => ({ page })),
]

const texts = {
  tagline: hostile,
  about: '# Us',
  imprint: hostile,
  address: hostile,
  hours: 'Mon\nTue',
  phone: '030 123',
}
const website = {
  ...texts,
  name: hostile,
  privacy: null,
  email: "o'a&b@paws.example",
  color: '#0f6b57',
  shows: 'all',
} as const
const full: Omit<ShopView, 'website'> = {
  ...{
    logo: photo,
    picture: photo,
    origin: 'https://paws.example',
    currency: 'EUR',
    shown: 3,
    nowMs: Date.UTC(2026, 10, 20),
  },
  categories: [
    { id: 2, name: 'Cats', count: 1 },
    { id: 3, name: undefined, count: 2 },
  ],
}
const empty = {
  ...full,
  logo: undefined,
  picture: undefined,
  origin: undefined,
  currency: null,
  shown: 0,
  categories: [],
}
const noTexts = { tagline: null, about: null, imprint: null, address: null, hours: null, phone: null, email: null }

test('every page of both kinds, in every language, is valid HTML', () => {
  const validator = new HtmlValidate({
    extends: ['html-validate:recommended'],
    rules: {
      // As React writes it.
      'void-style': ['error', { style: 'selfclose' }],
      'doctype-style': ['error', { style: 'lowercase' }],
      'attribute-boolean-style': ['error', { style: 'empty' }],
      'attr-case': 'off',
      // Titles and telephone numbers are texts of the owner.
      'long-title': 'off',
      'tel-non-breaking': 'off',
    },
  })
  const render = createRenderer()
  const faultsOf = (view: ShopView, content: PageContent) =>
    validator
      .validateStringSync(render(view, content))
      .results.flatMap(({ messages }) => messages)
      .map(({ ruleId, message, selector }) => [view.website.kind, content.page, ruleId, message, selector].join(': '))
  const views = [
    { ...full, website: { ...website, kind: 'shop', language: 'en' } },
    { ...full, website: { ...website, kind: 'shelter', language: 'de' } },
    { ...empty, website: { ...website, ...noTexts, kind: 'shop', language: 'de' } },
  ] as const
  expect(views.flatMap((view) => contents.flatMap((content) => faultsOf(view, content)))).toEqual([])
})
