/** Renders the pages of the web shop as HTML: pure functions of what is shown. Loaded with the first request for a page. */

import type { ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { decimalText } from '../../../lib/currency.ts'
import type { Profile } from '../../../shop/profiles/schemas.ts'
import { animalAddress, firstPage, type ListQuery, listAddress, sorts } from '../addresses.ts'
import { createFormats, type Formats } from '../format.ts'
import type { WebsiteLanguage } from '../rules.ts'
import { pageSize } from '../shown.ts'
import type { PageContent, ShopView } from '../view.ts'
import { wordsOf } from '../words.ts'
import { Layout } from './layout.tsx'
import { Markdown, plainText } from './markdown.tsx'
import {
  absolute,
  Cards,
  categoryName,
  Facts,
  isReserved,
  mailAddress,
  NoPhoto,
  Picture,
  phoneAddress,
  priceText,
  type Shop,
  type ShopProps,
} from './parts.tsx'

/** The most characters of a description for search engines. */
const maximumDescription = 160
/** The most categories that a page lists; the animals of others are among all. */
const maximumCategories = 100

/** Returns a function that renders a page. */
export function createRenderer() {
  const formats: Readonly<Record<WebsiteLanguage, Formats>> = { en: createFormats('en'), de: createFormats('de') }
  return (view: ShopView, content: PageContent): string => {
    const { website } = view
    const shop: Shop = { ...view, t: wordsOf(website), formats: formats[website.language] }
    return `<!doctype html>${renderToStaticMarkup(pageOf(shop, content))}`
  }
}
export type RenderPage = ReturnType<typeof createRenderer>

function pageOf(shop: Shop, content: PageContent): ReactNode {
  if (content.page === 'home') return <Home shop={shop} {...content} />
  if (content.page === 'animals') return <Animals shop={shop} {...content} />
  if (content.page === 'animal') return <Animal shop={shop} {...content} />
  return <Text shop={shop} page={content.page} />
}

type Of<P extends PageContent['page']> = ShopProps & Omit<Extract<PageContent, { readonly page: P }>, 'page'>

function Home({ shop, newest }: Of<'home'>): ReactNode {
  const { t, website, picture, logo } = shop
  const { name, tagline } = website
  const description = tagline ?? t('summary', { name })
  return (
    <Layout
      shop={shop}
      path="/"
      title={name}
      description={description}
      image={picture?.large ?? logo?.medium}
      data={storeData(shop)}
    >
      <div className="hero">
        <div className={picture ? 'wrap with' : 'wrap'}>
          <div>
            <h1 dir="auto">{name}</h1>
            <p dir="auto">{description}</p>
            <a className="button" href="/animals">
              {t('seeAll')}
            </a>
          </div>
          {picture && <Picture photo={picture} alt="" sizes="(min-width:52rem) 34rem, 92vw" isFirst />}
        </div>
      </div>
      <section className="wrap section">
        <div className="bar">
          <h2>{t('newest')}</h2>
          {newest.length > 0 && <a href="/animals">{t('seeAll')}</a>}
        </div>
        {newest.length > 0 ? (
          <>
            <div className="tools">
              <Categories shop={shop} query={firstPage} />
            </div>
            <Cards shop={shop} animals={newest} />
          </>
        ) : (
          <p>{t('noneYet')}</p>
        )}
      </section>
    </Layout>
  )
}

function Animals({ shop, query, animals, found }: Of<'animals'>): ReactNode {
  const { t, website, picture } = shop
  const { category } = query
  const pages = Math.ceil(found / pageSize)
  const title = shop.categories.find(({ id }) => id === category)?.name ?? t('animals')
  return (
    <Layout
      shop={shop}
      path={found > 0 ? listAddress(query) : undefined}
      title={query.page === 1 ? title : `${title} · ${t('pageOf', { page: query.page, pages })}`}
      description={t('summary', { name: website.name })}
      image={(animals[0]?.photos[0] ?? picture)?.large}
    >
      <div className="wrap section">
        <div className="bar">
          <h1 dir="auto">{title}</h1>
          <p>{found === 1 ? t('foundOne') : t('found', { count: found.toLocaleString(website.language) })}</p>
        </div>
        <div className="tools">
          <Categories shop={shop} query={query} isOfList />
          <Filters shop={shop} query={query} />
        </div>
        {found > 0 && (
          <>
            <h2 className="hidden">{t('animals')}</h2>
            <Cards shop={shop} animals={animals} />
          </>
        )}
        {found === 0 && shop.shown > 0 && (
          <p>
            {t('noneFound')}
            <a href="/animals">{t('seeAll')}</a>
          </p>
        )}
        {shop.shown === 0 && <p>{t('noneYet')}</p>}
        {pages > 1 && <Pages shop={shop} query={query} pages={pages} />}
      </div>
    </Layout>
  )
}

/** Links to the lists of one category each. `isOfList`: whether the page is the list of `query`. */
function Categories({
  shop,
  query,
  isOfList = false,
}: ShopProps & { readonly query: ListQuery; readonly isOfList?: boolean }): ReactNode {
  const { categories, shown, t } = shop
  if (categories.length < 2) return null
  const all = { id: undefined, name: t('all'), count: shown }
  return (
    <ul className="pills">
      {[all, ...categories.slice(0, maximumCategories)].map(({ id, name, count }) => (
        <li key={id ?? 0}>
          <a
            href={listAddress({ ...query, category: id, page: 1 })}
            aria-current={isOfList && id === query.category ? 'true' : undefined}
            dir="auto"
          >
            {name ?? t('others')} {count}
          </a>
        </li>
      ))}
    </ul>
  )
}

function Filters({ shop: { t }, query }: ShopProps & { readonly query: ListQuery }): ReactNode {
  const sortNames = { newest: t('sortNewest'), price: t('sortPrice') }
  return (
    <form action="/animals">
      {query.category !== undefined && <input type="hidden" name="category" value={query.category} />}
      <label>
        {t('sex')}
        <select name="sex" defaultValue={query.sex ?? ''}>
          <option value="">{t('all')}</option>
          <option value="female">{t('female')}</option>
          <option value="male">{t('male')}</option>
        </select>
      </label>
      <label>
        {t('sort')}
        <select name="sort" defaultValue={query.sort}>
          {sorts.map((sort) => (
            <option key={sort} value={sort}>
              {sortNames[sort]}
            </option>
          ))}
        </select>
      </label>
      <button type="submit">{t('apply')}</button>
    </form>
  )
}

function Pages({
  shop: { t },
  query,
  pages,
}: ShopProps & { readonly query: ListQuery; readonly pages: number }): ReactNode {
  const { page } = query
  return (
    <nav className="pages" aria-label={t('pages')}>
      {page > 1 && (
        <a className="button quiet" rel="prev" href={listAddress({ ...query, page: page - 1 })}>
          {t('previous')}
        </a>
      )}
      <span>{t('pageOf', { page, pages })}</span>
      {page < pages && (
        <a className="button quiet" rel="next" href={listAddress({ ...query, page: page + 1 })}>
          {t('next')}
        </a>
      )}
    </nav>
  )
}

function Animal({ shop, animal }: Of<'animal'>): ReactNode {
  const { t, website } = shop
  const { pet, photos, description } = animal
  const { name } = pet
  const isSold = pet.status === 'sold'
  const category = categoryName(shop, animal)
  return (
    <Layout
      shop={shop}
      path={isSold ? undefined : animalAddress(pet)}
      title={name}
      description={
        description === null ? t('summary', { name: website.name }) : plainText(description, maximumDescription)
      }
      image={photos[0]?.large}
      data={isSold ? undefined : productData(shop, animal)}
    >
      <div className="wrap section animal">
        <Photos shop={shop} animal={animal} />
        <div>
          <p className="crumbs">
            <a href="/animals">{t('animals')}</a>
            {category !== undefined && (
              <>
                {' › '}
                <a href={listAddress({ ...firstPage, category: pet.categoryId })} dir="auto">
                  {category}
                </a>
              </>
            )}
          </p>
          <h1 dir="auto">{name}</h1>
          {isSold ? <Sold shop={shop} name={name} /> : <Offer shop={shop} animal={animal} />}
          <Facts shop={shop} animal={animal} />
          {description !== null && <Markdown text={description} />}
        </div>
      </div>
    </Layout>
  )
}

/** The price, and the ways to ask for the animal. */
function Offer({ shop, animal }: Of<'animal'>): ReactNode {
  const { t, website } = shop
  const { pet, number, price } = animal
  const phone = phoneAddress(website.phone)
  const subject = number === null ? pet.name : `${pet.name} (${number})`
  return (
    <>
      {isReserved(animal) && <span className="badge">{t('reserved')}</span>}
      <p className="amount">
        {priceText(shop, animal) ?? t('forSale')}
        {website.kind === 'shelter' && !!price && <small>{t('fee')}</small>}
      </p>
      <div className="buttons">
        {phone !== undefined && (
          <a className="button" href={phone}>
            {t('call', { phone: website.phone ?? '' })}
          </a>
        )}
        {website.email !== null && (
          <a className="button quiet" href={mailAddress(website.email, subject)}>
            {t('write')}
          </a>
        )}
      </div>
    </>
  )
}

function Sold({ shop: { t }, name }: ShopProps & { readonly name: string }): ReactNode {
  return (
    <>
      <span className="badge">{t('sold')}</span>
      <p className="notice">{t('isSold', { animal: name })}</p>
      <div className="buttons">
        <a className="button" href="/animals">
          {t('seeAll')}
        </a>
      </div>
    </>
  )
}

/** The first photo, and links to the others, which the browser shows in full size. */
function Photos({ shop: { t }, animal }: Of<'animal'>): ReactNode {
  const { pet, photos } = animal
  const [first, ...others] = photos
  if (first === undefined) {
    return (
      <div className="photo">
        <NoPhoto />
      </div>
    )
  }
  const nameOf = (number: number) => t('photo', { number, animal: pet.name })
  return (
    <div>
      <a className="photo" href={first.large}>
        <Picture photo={first} alt={first.alt ?? nameOf(1)} sizes="(min-width:52rem) 36rem, 92vw" isFirst />
      </a>
      {others.length > 0 && (
        <ul className="thumbs">
          {others.map((photo, i) => (
            <li key={photo.id}>
              <a href={photo.large}>
                <Picture photo={photo} alt={photo.alt ?? nameOf(i + 2)} sizes="8rem" />
              </a>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** A page of the owner's text. */
function Text({ shop, page }: ShopProps & { readonly page: 'about' | 'imprint' | 'privacy' | 'notFound' }): ReactNode {
  const { t, website } = shop
  const title = { about: t('aboutUs'), imprint: t('imprint'), privacy: t('privacy'), notFound: t('notFound') }[page]
  const text = page === 'notFound' ? t('notFoundText') : (website[page] ?? (page === 'privacy' ? t('privacyText') : ''))
  return (
    <Layout
      shop={shop}
      path={page === 'notFound' ? undefined : `/${page}`}
      title={title}
      description={plainText(text, maximumDescription)}
      image={shop.picture?.large}
    >
      <div className="wrap section">
        <h1>{title}</h1>
        <Markdown text={text} />
        {page === 'notFound' && (
          <p className="buttons">
            <a className="button" href="/animals">
              {t('seeAll')}
            </a>
          </p>
        )}
      </div>
    </Layout>
  )
}

/** The shop or shelter in the vocabulary of schema.org. */
function storeData(shop: Shop): object {
  const { website, picture, logo } = shop
  const { kind, name, tagline, phone, email, address } = website
  return {
    '@type': kind === 'shop' ? 'PetStore' : 'AnimalShelter',
    name,
    description: tagline,
    url: absolute(shop, '/'),
    logo: absolute(shop, logo?.medium),
    image: absolute(shop, picture?.large ?? logo?.medium),
    telephone: phone,
    email,
    address,
  }
}

/** An animal that a shop sells at a price, in the vocabulary of schema.org; undefined for any other. */
function productData({ website, origin, currency }: Shop, animal: Profile): object | undefined {
  const { pet, price, photos, number, description } = animal
  if (website.kind !== 'shop' || price === null || currency === null || origin === undefined) return undefined
  return {
    '@type': 'Product',
    name: pet.name,
    sku: number,
    description: description && plainText(description, maximumDescription),
    image: photos.length === 0 ? undefined : photos.map(({ large }) => origin + large),
    offers: {
      '@type': 'Offer',
      url: origin + animalAddress(pet),
      price: decimalText(price, currency),
      priceCurrency: currency,
      availability: `https://schema.org/${isReserved(animal) ? 'Reserved' : 'InStock'}`,
    },
  }
}
