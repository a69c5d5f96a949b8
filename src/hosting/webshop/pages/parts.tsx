/** The parts that pages have in common: cards of animals, their facts, photos and prices. */

import { createElement, type ReactNode } from 'react'
import type { Photo } from '../../../shop/photos/schemas.ts'
import type { Profile } from '../../../shop/profiles/schemas.ts'
import { animalAddress, assetAddress } from '../addresses.ts'
import type { Formats } from '../format.ts'
import type { ShopView } from '../view.ts'
import type { Words } from '../words.ts'

/** A view with the words and formats of its website. */
export interface Shop extends ShopView {
  readonly t: Words
  readonly formats: Formats
}

export interface ShopProps {
  readonly shop: Shop
}

/** The longest sides of the two smaller files of a photo, in pixels. */
const sides = { small: 400, medium: 800 } as const

/** The files of a photo with their widths, of which the browser takes the one that fits. */
function sources({ width, height, small, medium, large }: Photo, withLarge: boolean): string {
  const widthOf = (side: number) => Math.max(1, Math.round(width * Math.min(1, side / Math.max(width, height))))
  const files = [
    `${small} ${widthOf(sides.small)}w`,
    `${medium} ${widthOf(sides.medium)}w`,
    ...(withLarge ? [`${large} ${width}w`] : []),
  ]
  return files.join(', ')
}

interface PictureProps {
  readonly photo: Photo
  readonly alt: string
  /** The width on the page, as CSS has it. */
  readonly sizes: string
  /** Whether it is what the visitor sees first. */
  readonly isFirst?: boolean
}

export function Picture({ photo, alt, sizes, isFirst = false }: PictureProps): ReactNode {
  return (
    <img
      src={isFirst ? photo.medium : photo.small}
      srcSet={sources(photo, isFirst)}
      sizes={sizes}
      width={photo.width}
      height={photo.height}
      alt={alt}
      {...(isFirst ? { fetchPriority: 'high' } : { loading: 'lazy', decoding: 'async' })}
    />
  )
}

/** In the place of a photo that there is not. */
export const NoPhoto = (): ReactNode => (
  <img className="none" src={assetAddress('icon.svg')} alt="" width="32" height="32" loading="lazy" />
)

export const isReserved = ({ pet }: Profile) => pet.status === 'pending'

/** Undefined where nothing is to be said: no animal of the store has a price. */
export function priceText({ t, formats, currency }: Shop, { price }: Profile): string | undefined {
  if (currency === null) return undefined
  if (price === null) return t('onRequest')
  return price === 0 ? t('free') : formats.money(price, currency)
}

export function categoryName({ categories }: Shop, { pet }: Profile): string | undefined {
  return categories.find(({ id }) => id === pet.categoryId)?.name
}

export function ageText({ t, formats, nowMs }: Shop, { birthDate }: Profile): string | undefined {
  const age = birthDate === null ? undefined : formats.age(birthDate, nowMs)
  return age?.isApproximate ? t('about', { age: age.text }) : age?.text
}

/** A list of animals, each with a link to its page. */
export function Cards({ shop, animals }: ShopProps & { readonly animals: readonly Profile[] }): ReactNode {
  return (
    <ul className="cards">
      {animals.map((animal) => (
        <li key={animal.petId}>
          <Card shop={shop} animal={animal} />
        </li>
      ))}
    </ul>
  )
}

function Card({ shop, animal }: ShopProps & { readonly animal: Profile }): ReactNode {
  const { pet, photos, sex, breed } = animal
  const { t } = shop
  const [photo] = photos
  const facts = [breed ?? categoryName(shop, animal), sex === null ? undefined : t(sex), ageText(shop, animal)]
  const price = priceText(shop, animal)
  return (
    <a className="card" href={animalAddress(pet)}>
      <span className="photo">
        {photo ? <Picture photo={photo} alt={photo.alt ?? ''} sizes="(min-width:72rem) 17rem, 50vw" /> : <NoPhoto />}
        {isReserved(animal) && <span className="badge">{t('reserved')}</span>}
      </span>
      <div className="text">
        <h3 dir="auto">{pet.name}</h3>
        <p className="muted" dir="auto">
          {facts.filter((fact) => fact !== undefined).join(' · ')}
        </p>
        {price !== undefined && <p className="price">{price}</p>}
      </div>
    </a>
  )
}

/** What is known of an animal; what the owner has labelled comes last. */
export function Facts({ shop, animal }: ShopProps & { readonly animal: Profile }): ReactNode {
  const { t, formats } = shop
  const { breed, color, sex, birthDate, number, attributes } = animal
  const own = {
    category: categoryName(shop, animal),
    breed,
    sex: sex && t(sex),
    age: ageText(shop, animal),
    born: birthDate && formats.birthDate(birthDate),
    color,
    number,
  }
  const names = Object.keys(own) as (keyof typeof own)[]
  const known = [...names.map((name) => ({ label: t(name), text: own[name] })), ...attributes].filter(
    ({ text }) => text !== null && text !== undefined,
  )
  if (known.length === 0) return null
  // Unlike a list, an element's own children need no keys.
  return createElement(
    'dl',
    {},
    ...known.flatMap(({ label, text }) => [
      createElement('dt', { dir: 'auto' }, label),
      createElement('dd', { dir: 'auto' }, text),
    ]),
  )
}

/** The address of a path; undefined while the web shop has none. */
export function absolute({ origin }: Shop, path: string | undefined): string | undefined {
  return origin === undefined || path === undefined ? undefined : origin + path
}

/** The address of a telephone number; undefined for a text that has none. */
export function phoneAddress(phone: string | null): string | undefined {
  const number = phone?.replace(/\(0\)/g, '').replace(/[^\d+]/g, '') ?? ''
  return /^\+?\d{3,}$/.test(number) ? `tel:${number}` : undefined
}

/** An address that opens the visitor's mail program. */
export function mailAddress(email: string, subject?: string): string {
  const to = `mailto:${encodeURIComponent(email).replace('%40', '@')}`
  return subject === undefined ? to : `${to}?subject=${encodeURIComponent(subject)}`
}
