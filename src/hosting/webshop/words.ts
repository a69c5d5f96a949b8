/** The words of the pages, for each language and kind of web shop. Another language is another member of each row. */

import type { WebsiteContent, WebsiteLanguage } from './rules.ts'

/** A text for both kinds, or one for a shop and one for a shelter. Names in braces are replaced. */
type Cell = string | readonly [shop: string, shelter: string]
type Row = Readonly<Record<WebsiteLanguage, Cell>>

const table = {
  skip: { en: 'Skip to the content', de: 'Zum Inhalt springen' },
  navigation: { en: 'Pages', de: 'Seiten' },
  animals: { en: 'Our animals', de: 'Unsere Tiere' },
  aboutUs: { en: 'About us', de: 'Über uns' },
  imprint: { en: 'Legal notice', de: 'Impressum' },
  privacy: { en: 'Privacy', de: 'Datenschutz' },
  seeAll: { en: 'See all animals', de: 'Alle Tiere ansehen' },
  newest: { en: ['New in our shop', 'Looking for a home'], de: ['Neu bei uns', 'Sie suchen ein Zuhause'] },
  summary: {
    en: ['Animals for sale at {name}', 'Animals of {name} that are looking for a home'],
    de: ['Diese Tiere sind bei {name} zu verkaufen.', 'Diese Tiere von {name} suchen ein Zuhause.'],
  },
  found: { en: '{count} animals', de: '{count} Tiere' },
  foundOne: { en: '1 animal', de: '1 Tier' },
  noneYet: {
    en: 'There are no animals here at the moment. Come back soon.',
    de: 'Zurzeit sind keine Tiere da. Schauen Sie bald wieder vorbei.',
  },
  noneFound: { en: 'No animal matches. ', de: 'Kein Tier passt zu dieser Auswahl. ' },
  all: { en: 'All', de: 'Alle' },
  others: { en: 'Other', de: 'Sonstige' },
  sort: { en: 'Sort by', de: 'Sortierung' },
  sortNewest: { en: 'Newest', de: 'Neueste' },
  sortPrice: { en: ['Lowest price', 'Lowest fee'], de: 'Günstigste' },
  apply: { en: 'Show', de: 'Anzeigen' },
  pages: { en: 'Pages of the list', de: 'Seiten der Liste' },
  pageOf: { en: 'Page {page} of {pages}', de: 'Seite {page} von {pages}' },
  previous: { en: 'Previous', de: 'Zurück' },
  next: { en: 'Next', de: 'Weiter' },
  reserved: { en: 'Reserved', de: 'Reserviert' },
  sold: { en: ['Sold', 'Adopted'], de: ['Verkauft', 'Vermittelt'] },
  isSold: {
    en: ['{animal} has been sold.', '{animal} has found a home.'],
    de: ['{animal} wurde verkauft.', '{animal} hat ein Zuhause gefunden.'],
  },
  forSale: { en: ['For sale', 'Looking for a home'], de: ['Zu verkaufen', 'Sucht ein Zuhause'] },
  fee: { en: 'Adoption fee', de: 'Schutzgebühr' },
  onRequest: { en: ['Price on request', 'Fee on request'], de: ['Preis auf Anfrage', 'Gebühr auf Anfrage'] },
  free: { en: 'Free', de: 'Kostenlos' },
  number: { en: 'Number', de: 'Nummer' },
  category: { en: 'Category', de: 'Kategorie' },
  breed: { en: 'Breed', de: 'Rasse' },
  color: { en: 'Color', de: 'Farbe' },
  sex: { en: 'Sex', de: 'Geschlecht' },
  female: { en: 'Female', de: 'Weiblich' },
  male: { en: 'Male', de: 'Männlich' },
  born: { en: 'Born', de: 'Geboren' },
  age: { en: 'Age', de: 'Alter' },
  about: { en: 'about {age}', de: 'etwa {age}' },
  photo: { en: 'Photo {number} of {animal}', de: 'Foto {number} von {animal}' },
  contact: { en: 'Contact', de: 'Kontakt' },
  address: { en: 'Address', de: 'Adresse' },
  hours: { en: 'Opening hours', de: 'Öffnungszeiten' },
  call: { en: 'Call {phone}', de: '{phone} anrufen' },
  write: { en: 'Write an e-mail', de: 'E-Mail schreiben' },
  legal: { en: 'Legal', de: 'Rechtliches' },
  notFound: { en: 'Page not found', de: 'Seite nicht gefunden' },
  notFoundText: {
    en: 'There is nothing at this address. Perhaps the animal is not here any more.',
    de: 'Unter dieser Adresse gibt es nichts. Vielleicht ist das Tier nicht mehr bei uns.',
  },
  privacyText: {
    en: `# This website

This website sets no cookies, runs no scripts, and loads nothing from other hosts. It does not recognize or count its visitors.

Our server needs the IP address of your device to send you the pages. It uses the address for this alone.

# If you contact us

If you call us or write to us, we use what you tell us to answer you, and for an agreement that we make with you.

# Your rights

You can ask us what we have stored about you, and have it corrected or deleted. You can also complain to a data protection authority.`,
    de: `# Diese Website

Diese Website setzt keine Cookies, führt keine Skripte aus und lädt nichts von anderen Servern. Sie erkennt und zählt ihre Besucherinnen und Besucher nicht.

Unser Server braucht die IP-Adresse Ihres Geräts, um Ihnen die Seiten zu senden. Er verwendet sie nur dafür (Art. 6 Abs. 1 lit. f DSGVO).

# Wenn Sie uns kontaktieren

Wenn Sie uns anrufen oder schreiben, verwenden wir Ihre Angaben, um Ihnen zu antworten, und für einen Vertrag, den wir mit Ihnen schließen (Art. 6 Abs. 1 lit. b DSGVO).

# Ihre Rechte

Sie können Auskunft darüber verlangen, was wir über Sie gespeichert haben, und es berichtigen oder löschen lassen. Sie können sich auch bei einer Datenschutzbehörde beschweren.`,
  },
} satisfies Readonly<Record<string, Row>>

export type Word = keyof typeof table
/** Returns a text, with these values in the place of the names in braces. */
export type Words = (word: Word, values?: Readonly<Record<string, string | number>>) => string

export function wordsOf({ kind, language }: Pick<WebsiteContent, 'kind' | 'language'>): Words {
  return (word, values = {}) => {
    const cell: Cell = table[word][language]
    const text = typeof cell === 'string' ? cell : cell[kind === 'shop' ? 0 : 1]
    return text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''))
  }
}
