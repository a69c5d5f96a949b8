/** What a page of the web shop shows: the values from which it is rendered. */

import type { Photo } from '../../shop/photos/schemas.ts'
import type { Profile } from '../../shop/profiles/schemas.ts'
import type { ListQuery } from './addresses.ts'
import type { WebsiteContent } from './rules.ts'

/** What all pages have in common. */
export interface ShopView {
  readonly website: WebsiteContent
  readonly logo: Photo | undefined
  readonly picture: Photo | undefined
  /** Such as `https://paws.example`; undefined while the web shop has no address. */
  readonly origin: string | undefined
  /** The currency of all prices; null before the store has one. */
  readonly currency: string | null
  /** The categories of the animals that are shown. */
  readonly categories: readonly ShownCategory[]
  /** How many animals are shown. */
  readonly shown: number
  /** Unix milliseconds. */
  readonly nowMs: number
}

export interface ShownCategory {
  readonly id: number
  /** Undefined for one that has no name. */
  readonly name: string | undefined
  readonly count: number
}

/** What one page has. */
export type PageContent =
  | { readonly page: 'home'; readonly newest: readonly Profile[] }
  | {
      readonly page: 'animals'
      readonly query: ListQuery
      readonly animals: readonly Profile[]
      /** The number of animals on all pages of the list. */
      readonly found: number
    }
  | { readonly page: 'animal'; readonly animal: Profile }
  | { readonly page: 'about' | 'imprint' | 'privacy' | 'notFound' }
