/** What a web shop consists of: its texts, its choices, and their limits. */

/** A kind chooses the words: a shop sells animals, a shelter looks for homes for them. */
export const websiteKinds = ['shop', 'shelter'] as const
export type WebsiteKind = (typeof websiteKinds)[number]

export const websiteLanguages = ['en', 'de'] as const
export type WebsiteLanguage = (typeof websiteLanguages)[number]

/** Which of the published animals are shown. */
export const shownChoices = ['all', 'withPhoto'] as const
export type ShownChoice = (typeof shownChoices)[number]

export const colorPattern = '^#[0-9A-Fa-f]{6}$'
/** The color of a web shop whose owner has chosen none. */
export const defaultColor = '#0f6b57'

/** Code points of each text. */
export const maximumTextLengths = { name: 80, tagline: 160, page: 10_000, lines: 500, phone: 40 } as const
/** The most lines of the address and of the opening hours. */
export const maximumLines = 10

/** What the owner enters. Null is a text that there is not. */
export interface WebsiteContent {
  readonly kind: WebsiteKind
  readonly name: string
  readonly tagline: string | null
  /** Markdown, like `imprint` and `privacy`. */
  readonly about: string | null
  readonly imprint: string | null
  readonly privacy: string | null
  readonly address: string | null
  readonly phone: string | null
  readonly email: string | null
  readonly hours: string | null
  readonly language: WebsiteLanguage
  /** `#` and six hexadecimal digits in lower case. */
  readonly color: string
  readonly shows: ShownChoice
}

export const websiteImages = ['logo', 'picture'] as const
export type WebsiteImage = (typeof websiteImages)[number]

/** The images are photos of no animal: in the table of photos, these stand in the place of its id. */
export const imagePetIds: Readonly<Record<WebsiteImage, number>> = { logo: 0, picture: -1 }
