/** The frame of every page: its head, the navigation above, and the contact below. */

import type { ReactNode } from 'react'
import { assetAddress } from '../addresses.ts'
import { absolute, mailAddress, phoneAddress, type Shop, type ShopProps } from './parts.tsx'

export interface LayoutProps extends ShopProps {
  /** The path that stands for the page in links; undefined for a page that search engines must not list. */
  readonly path: string | undefined
  readonly title: string
  readonly description: string
  /** The path of the image that stands for the page where its address is shared. */
  readonly image: string | undefined
  /** For search engines, in the vocabulary of schema.org. */
  readonly data?: object | undefined
  readonly children: ReactNode
}

export function Layout({ shop, path, title, description, image, data, children }: LayoutProps): ReactNode {
  const { website, t } = shop
  const address = absolute(shop, path)
  const isHome = path === '/'
  const named = isHome ? title : `${title} · ${website.name}`
  const properties = {
    'og:type': 'website',
    'og:site_name': website.name,
    'og:title': title,
    'og:description': description,
    'og:url': address,
    'og:image': absolute(shop, image),
    'og:locale': { en: 'en_US', de: 'de_DE' }[website.language],
  }
  return (
    <html lang={website.language}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{named}</title>
        <meta name="description" content={description} />
        {path === undefined && <meta name="robots" content="noindex" />}
        {address !== undefined && <link rel="canonical" href={address} />}
        {Object.entries(properties).map(
          ([property, content]) =>
            content !== undefined && <meta key={property} property={property} content={content} />,
        )}
        <link rel="stylesheet" href={assetAddress('style.css', website.color)} />
        <link rel="icon" href={assetAddress('icon.svg', website.color)} type="image/svg+xml" />
        {data !== undefined && <Data data={data} />}
      </head>
      <body>
        <a className="skip" href="#content">
          {t('skip')}
        </a>
        <Header shop={shop} path={path} />
        <main id="content">{children}</main>
        <Footer shop={shop} />
      </body>
    </html>
  )
}

/** JSON in HTML: without `<`, nothing in it ends the element. It has no member that is null. */
function Data({ data }: { readonly data: object }): ReactNode {
  const withContext = { '@context': 'https://schema.org', ...data }
  const json = JSON.stringify(withContext, (_, value) => value ?? undefined).replaceAll('<', '\\u003c')
  // biome-ignore lint/security/noDangerouslySetInnerHtml: React would escape the quotation marks of the JSON
  return <script type="application/ld+json" dangerouslySetInnerHTML={{ __html: json }} />
}

function Header({ shop, path }: ShopProps & { readonly path: string | undefined }): ReactNode {
  const { website, logo, t } = shop
  const phone = phoneAddress(website.phone)
  const pages = [['/animals', t('animals')], ...(website.about === null ? [] : [['/about', t('aboutUs')]])] as const
  const isCurrent = (page: string | undefined) => (path?.split('?')[0] === page ? 'page' : undefined)
  return (
    <header className="top">
      <div className="wrap">
        <a className="brand" href="/" aria-current={isCurrent('/')} dir="auto">
          {logo && <img src={logo.small} alt="" width={logo.width} height={logo.height} />}
          {website.name}
        </a>
        <nav aria-label={t('navigation')}>
          {pages.map(([page, name]) => (
            <a key={page} href={page} aria-current={isCurrent(page)}>
              {name}
            </a>
          ))}
        </nav>
        {phone !== undefined && (
          <a className="button" href={phone} aria-label={t('call', { phone: website.phone ?? '' })}>
            {website.phone}
          </a>
        )}
      </div>
    </header>
  )
}

function Footer({ shop }: ShopProps): ReactNode {
  const { website, t } = shop
  return (
    <footer className="foot">
      <div className="wrap">
        <Lines title={t('address')} text={website.address} />
        <Lines title={t('hours')} text={website.hours} />
        <Contact shop={shop} />
        <section>
          <h2>{t('legal')}</h2>
          <ul>
            {website.imprint !== null && (
              <li>
                <a href="/imprint">{t('imprint')}</a>
              </li>
            )}
            <li>
              <a href="/privacy">{t('privacy')}</a>
            </li>
          </ul>
        </section>
      </div>
    </footer>
  )
}

function Lines({ title, text }: { readonly title: string; readonly text: string | null }): ReactNode {
  if (text === null) return null
  return (
    <section>
      <h2>{title}</h2>
      <p className="lines" dir="auto">
        {text}
      </p>
    </section>
  )
}

function Contact({ shop }: { readonly shop: Shop }): ReactNode {
  const { t, website } = shop
  const { phone, email } = website
  if (phone === null && email === null) return null
  const address = phoneAddress(phone)
  return (
    <section>
      <h2>{t('contact')}</h2>
      <ul>
        {phone !== null && <li>{address === undefined ? phone : <a href={address}>{phone}</a>}</li>}
        {email !== null && (
          <li>
            <a href={mailAddress(email)}>{email}</a>
          </li>
        )}
      </ul>
    </section>
  )
}
