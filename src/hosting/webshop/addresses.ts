/**
 * The addresses of a web shop. Each has one normal form, whatever parameters a request adds: it is the address of the
 * page in links and search engines, and the key under which the page is cached.
 */

import { type Sex, sexes } from '../../shop/profiles/rules.ts'
import { latinSlug } from '../projects/slug.ts'
import { colorPattern } from './rules.ts'

export const sorts = ['newest', 'price'] as const

/** The list of animals, as a visitor wants it. */
export interface ListQuery {
  readonly category?: number | undefined
  readonly sex?: Sex | undefined
  readonly sort: (typeof sorts)[number]
  /** From 1. */
  readonly page: number
}

export const firstPage: ListQuery = { sort: 'newest', page: 1 }

const plainPages = {
  '': 'home',
  about: 'about',
  imprint: 'imprint',
  privacy: 'privacy',
  'sitemap.xml': 'sitemap',
  'robots.txt': 'robots',
} as const

export type Target =
  | { readonly page: (typeof plainPages)[keyof typeof plainPages] }
  | { readonly page: 'animals'; readonly query: ListQuery }
  | { readonly page: 'animal'; readonly id: number }
  | { readonly page: 'style' | 'icon'; readonly color: string | undefined }

/** What a web shop has at a path (decoded, without the first slash); undefined for nothing. */
export function targetOf(path: string, url: string): Target | undefined {
  if (Object.hasOwn(plainPages, path)) return { page: plainPages[path as keyof typeof plainPages] }
  if (path === 'animals') return { page: 'animals', query: listQueryOf(parametersOf(url)) }
  if (path === 'shop/style.css') return { page: 'style', color: colorOf(parametersOf(url)) }
  if (path === 'shop/icon.svg') return { page: 'icon', color: colorOf(parametersOf(url)) }
  const [, id] = /^animals\/([1-9]\d{0,15})(?:\/[^/]*)?$/.exec(path) ?? []
  return id === undefined ? undefined : { page: 'animal', id: Number(id) }
}

function parametersOf(url: string): URLSearchParams {
  const start = url.indexOf('?')
  return new URLSearchParams(start === -1 ? '' : url.slice(start))
}

/** What is malformed is as if it was not there. */
function listQueryOf(parameters: URLSearchParams): ListQuery {
  const number = (name: string) => {
    const text = parameters.get(name) ?? ''
    return /^[1-9]\d{0,9}$/.test(text) ? Number(text) : undefined
  }
  return {
    category: number('category'),
    sex: sexes.find((sex) => sex === parameters.get('sex')),
    sort: sorts.find((sort) => sort === parameters.get('sort')) ?? 'newest',
    page: number('page') ?? 1,
  }
}

const colorExpression = new RegExp(colorPattern)

function colorOf(parameters: URLSearchParams): string | undefined {
  const color = `#${parameters.get('color')?.toLowerCase()}`
  return colorExpression.test(color) ? color : undefined
}

/** The normal form of the address of a list. */
export function listAddress({ category, sex, sort, page }: ListQuery): string {
  const parameters = new URLSearchParams({
    ...(category === undefined ? {} : { category: String(category) }),
    ...(sex === undefined ? {} : { sex }),
    ...(sort === 'newest' ? {} : { sort }),
    ...(page === 1 ? {} : { page: String(page) }),
  })
  return parameters.size === 0 ? '/animals' : `/animals?${parameters}`
}

/** The address of the page of an animal, with its name in Latin letters if it has any. */
export function animalAddress({ id, name }: { readonly id: number; readonly name: string }): string {
  const slug = latinSlug(name)
  return slug === '' ? `/animals/${id}` : `/animals/${id}/${slug}`
}

export const assetAddress = (name: 'style.css' | 'icon.svg', color?: string) =>
  color === undefined ? `/shop/${name}` : `/shop/${name}?color=${color.slice(1)}`
