/**
 * Guesses which columns of a file have the members of an animal: by their names, and by their values where the names
 * leave a choice. What is uncertain is a question.
 */

import type { ColumnFacts } from './facts.ts'
import type { ImportField } from './fields.ts'
import { answerOf, askedStatus, collapsedName, knownStatus } from './words.ts'

/** A column with a summary of its values. */
export interface FileColumn extends ColumnFacts {
  readonly name: string
}

/** A field for which no column is certain, and the indexes of those that are possible. */
export interface Question {
  readonly field: ImportField
  readonly columns: readonly number[]
}

export interface Guess {
  /** The index of the column of each field. */
  readonly columns: ReadonlyMap<ImportField, number>
  readonly questions: readonly Question[]
  /** The index of a column of numbers that is not taken because they repeat. */
  readonly repeatedNumber: number | undefined
  /** The index of a column of quantities, which are not imported. */
  readonly quantity: number | undefined
  /** The index of a column of ages, which are read only where the owner chooses it. */
  readonly age: number | undefined
}

interface Rule {
  readonly field: ImportField
  /** Collapsed names of columns; the columns of the first expression that has any are the candidates. */
  readonly names: readonly RegExp[]
  /** Whether the values of a candidate can be those of the field. */
  readonly accepts?: (column: FileColumn) => boolean
}

/** What lists write before the name of a member, as in `AnimalName` and `Variant Price`. */
const subject =
  '(?:(?:animal|pet|dog|cat|patient|variant|product|item|hunde?|katzen?|tier|pies|chien|chat|perro|gato|dier)s?){1,2}'

const alternatives = (words: string) => `(?:${words.trim().split(/\s+/).join('|')})`

/** An expression for any of `words`, each of which may follow a subject and be followed by one of `ends`. */
function named(words: string, ends = ''): RegExp {
  return new RegExp(`^(?:${subject})?${alternatives(words)}${ends === '' ? '' : `${alternatives(ends)}?`}$`)
}

/** In the name of a column whose names are those of animals. */
const ofAnimal = new RegExp(`${subject}|rufname|callname|roepnaam`)

const ofSubject = (words: string) => new RegExp(`^${subject}${alternatives(words)}$`)

/** The share of a column's values that satisfy a condition, as far as they are known. */
function share({ words, filled }: ColumnFacts, condition: (word: string) => boolean): number {
  let matches = 0
  for (const [word, rows] of words) if (condition(word)) matches += rows
  return filled === 0 ? 0 : matches / filled
}

const isNumeric = ({ filled, numeric }: ColumnFacts) => numeric * 2 > filled
const isText = (column: ColumnFacts) => column.filled > 0 && !isNumeric(column)
const isAnswer = (word: string) => answerOf(word) !== undefined
/** Those of an NDJSON file are no words. */
const hasLists = (column: FileColumn) => column.filled === 0 || share(column, (word) => word.startsWith('[')) > 0

/** Fewer rows may well have different values in a column that groups them. */
const fewRows = 8

/** Whether the values of a column are names of groups: text, and some rows have the same. */
function isGroups(column: FileColumn): boolean {
  const { filled, words, hasMore } = column
  const isVaried = filled >= fewRows && (hasMore || words.size > filled * 0.8)
  return isText(column) && !isVaried
}

/** Parts of words for animals: a Type with one has categories of animals, another may have those of articles. */
const animals = new RegExp(
  alternatives(`
    dog puppy puppies cat\\b cats kitten bird fish reptile snake python gecko lizard turtle tortoise frog amphibian rabbit
    bunny hamster guinea rodent mouse mice \\brats?\\b ferret horse pony goat sheep \\bpigs?\\b chicken poultry livestock
    mammal parrot spider tarantula wildlife small.animal hund katze vogel vögel fisch reptil schlange echse kaninchen
    nager meerschwein pferd ziege huhn hühner chien chat\\b chats oiseau poisson lapin rongeur cheval perro gato pájaro
    \\baves?\\b \\bpez peces conejo roedor caballo \\bcane \\bcani\\b gatt[oi] uccell pesc[ei] conigli cavall \\bpies\\b \\bpsy\\b
    \\bkoty?\\b ptak \\bryb gady?\\b królik gryzo świnka \\bhond \\bkat\\b katten \\bvis\\b vissen konijn knaagdier paard`),
  'i',
)

const isAnimal = (word: string) => animals.test(word)

const generic = /^(?:pet|animal|tier|zwierze|dier)$/
const kind = /^(?:dog|cat|hund|katze|chien|chat|perro|gato|cane|gatto|pies|kot|hond|kat)s?(?:name)?$/

/** Names of columns with the names of people. */
const people =
  /firstname|lastname|surname|vorname|nachname|familienname|prenom|apellido|cognome|nazwisko|voornaam|achternaam/
const categoryId = /^categoryid$/

const rules: readonly Rule[] = [
  {
    field: 'name',
    names: [
      named('name names callname', 'text'),
      named(
        'rufname name commonname nom nome nombre imie naam roepnaam',
        'text animal animale delanimal dellanimale delchien duchien duchat zwierzecia psa vandehond vanhetdier destieres deshundes',
      ),
      named(`
        title titel titre titulo titolo tytul bezeichnung nazwa denominacion denominazione designation item product produkt
        produit producto prodotto article artikel articulo articolo`),
    ],
    accepts: isText,
  },
  // An Animal may be its name or its kind.
  {
    field: 'name',
    names: [generic, kind],
    accepts: (column) => isText(column) && share(column, (word) => isAnimal(word) || isAnswer(word)) === 0,
  },
  {
    field: 'category',
    names: [
      /^category$/,
      /^(?:animal|pet|item|tier)?(?:categor(?:y|ies|ias?|ie|ieen)|kategorien?|kategoria)(?:name)?$/,
      named(
        'species spezies tierart art especes? especies? specie gatunek diersoort soort',
        'name animal animale danimal dianimale',
      ),
    ],
    accepts: isGroups,
  },
  {
    field: 'category',
    names: [named('types? typ typen tipo kind rodzaj', 'name animal danimal deanimal dianimale'), generic],
    accepts: (column) => isGroups(column) && share(column, isAnimal) > 0,
  },
  {
    field: 'category',
    names: [/^(?:productcategory|(?:waren|produkt|artikel)gruppe|famille|familia|famiglia|groep)$/],
    accepts: isGroups,
  },
  // Of another program, only where the file has no names of categories.
  { field: 'categoryId', names: [categoryId], accepts: ({ name }) => isOwnName('categoryId', name) },
  {
    field: 'number',
    names: [
      /^number$/,
      ofSubject('code number no nr nummer numero ref'),
      ofSubject('ids?(?:no)?'),
      /^(?:shelter(?:code|id)|arn)$/,
      named('sku ugs cod articleno articlenumber artikelnr artikelnummer stockno stocknumber'),
      /^(?:no|nr|nummer|numero|numer|ref|reference|referencia|referenz|kennung|id(?:no)?)$/,
      /^(?:code(?:article)?|codigo|codice|kod|eartag)$/,
      named('(?:licen[cs]e|registration)(?:number|no)? inventarnummer zuchtbuch(?:nr|nummer) (?:nr|numer)ewidencyjny'),
    ],
    accepts: ({ filled }) => filled > 0,
  },
  {
    field: 'breed',
    names: [
      /^breed$/,
      named(
        '(?:primary|main|first|haupt)?(?:breed|rasse|races?|raza|razza|rasa|ras)',
        'name 1 primary desc description',
      ),
    ],
    accepts: isText,
  },
  {
    field: 'color',
    names: [
      /^color$/,
      named(
        '(?:primary|base|main|first|coat)?colou?rs? couleur robe farbe fellfarbe kolor masc umaszczenie kleur colore mantello pelaje',
        'name 1 primary general text',
      ),
    ],
    accepts: isText,
  },
  {
    field: 'sex',
    names: [
      /^sex$/,
      named('sex gender geschl(?:echt)? sexe sexo sesso plec geslacht', 'name code text lang hundlang upon.*'),
      /^(?:mw|wm|mf|fm)$/,
    ],
    accepts: isText,
  },
  {
    field: 'birthDate',
    names: [
      /^birthdate$/,
      named(`
        dob dateofbirth birthdate birthday born bornon dateborn hatchdate hatched whelpdate whelped foaled geburtsdatum
        geburtstag geb gebdatum gebdat geboren geborenam wurfdatum wurftag datedenaissance naissance neele
        fecha(?:de)?nac(?:imiento)? nacimiento data(?:di)?nascita nascita nat[oa]il dataur(?:odzenia)? urodzon[yae]
        geboortedatum`),
      named(`
        birthmonth birthyear yearofbirth geburtsjahr jahrgang gebjahr gebdat(?:hund)?jahr anneedenaissance
        ano(?:de)?nacimiento anno(?:di)?nascita rokurodzenia geboortejaar`),
    ],
    accepts: ({ words }) => [...words.keys()].some((word) => /\d/.test(word)),
  },
  {
    field: 'microchip',
    names: [
      /^microchip$/,
      named('(?:identi|micro)?chips? mikrochip transponder puce', 'number no nr id code nummer numero numer'),
      named(`
        n(?:umer)?o(?:de)?(?:la)?puce n(?:umer)?o?(?:de|del)?(?:micro)?chip (?:nr|numer)(?:mikro)?chipa?`),
    ],
    // "Yes" says that an animal has one.
    accepts: (column) => column.filled > 0 && share(column, isAnswer) < 0.5,
  },
  {
    field: 'price',
    names: [
      /^price$/,
      named(
        `prices? preis prix precio prezzo cena prijs (?:regular|default|retail|selling|unit)price
        (?:verkaufs|vk|regularer)preis prixdevente tarifregulier precio(?:deventa|normal) prezzodilistino
        (?:verkoop|reguliere)prijs pvp pv`,
        'eur euro usd gbp chf pln zl brutto ttc',
      ),
      named(`
        (?:adoption)?fees? schutzgebuhr vermittlungsgebuhr fraisdadoption tasadeadopcion oplataadopcyjna adoptiekosten`),
      /^price.+$/,
    ],
    accepts: (column) => column.filled > 0 && isNumeric(column),
  },
  {
    field: 'description',
    names: [
      /^description$/,
      named('description beschreibung descripcion descrizione opis beschrijving omschrijving desc about bio'),
      named('shortdescription kurzbeschreibung bodyhtml'),
    ],
    // A description is Markdown, and not HTML.
    accepts: ({ filled, markup }) => filled > 0 && markup * 2 < filled,
  },
  {
    field: 'published',
    names: [
      /^published$/,
      named(
        'visible enabled online publishedononlinestore veroffentlicht sichtbar publie publicado pubblicato opublikowan[yae] gepubliceerd',
      ),
    ],
    accepts: (column) => share(column, isAnswer) === 1,
  },
]

const quantities = named(
  `quantity qty stock count inventory inventoryqty currentquantity.* stockquantity bestand lagerbestand menge anzahl
  stuckzahl cantidad existencias inventario quantite quantita giacenza magazzino ilosc magazyn stanmagazynowy aantal
  voorraad instock.*`,
)
const ages = named('(?:current)?ages? alter edad eta wiek leeftijd', 'years months weeks upon.* as.* in.*')
const days = named('date datetime asof intakedate indate outcomedate datum fecha stichtag licen[cs]eissuee?d?date')

/** Names of columns that are no status of an animal, whatever their values are. */
const otherStates = /intake|kennel|chip|tax|payment|vaccin|neuter|steril|spay|sub(?:type|category)|reason|condition/

/** Names of columns that may well be the status. */
const statusNames =
  /outcome|status|state|zustand|availab|verfugbar|etat|estado|stato|statut|disponib|dostepn|beschikbaar/

/** The fields whose values may show that a column is something else, even if it has the name of the field. */
const checkedFields: readonly ImportField[] = ['number', 'microchip', 'description', 'attributes']

/** Of an export of this store. */
const attributes = /^attributes$/

// A cell with the kind of an animal is rather a value.
const namesOfFields = rules.flatMap(({ names }) => names).filter((known) => known !== kind)
const knownNames = [attributes, ...namesOfFields, quantities, ages, days]

/** Whether a cell is the name of a column that means something to an import. */
export function isKnownName(cell: string): boolean {
  const name = collapsedName(cell)
  // Words such as "available" are rather a status than a name.
  if (name === '' || name.length > 30 || knownStatus(cell) !== undefined) return false
  return statusNames.test(name) || askedStatus(cell) !== undefined || knownNames.some((known) => known.test(name))
}

/** Whether a collapsed name is one of those for a field. */
function isNameOf(wanted: ImportField, name: string): boolean {
  return rules.some(({ field, names }) => field === wanted && names.some((one) => one.test(name)))
}

/** Whether the values of a column with a name may be numbers of animals. */
export const mayBeNumber = (columnName: string): boolean => isNameOf('number', collapsedName(columnName))

/** Whether a column has the name of a field, as in an export of this store. */
export const isOwnName = (field: ImportField, name: string): boolean => name.toLowerCase() === field.toLowerCase()

/** Guesses the columns of the fields that are wanted, among those that are not `taken`. */
export function guessColumns(
  columns: readonly FileColumn[],
  isWanted: (field: ImportField) => boolean = () => true,
  taken: Iterable<number> = [],
): Guess {
  const names = columns.map(({ name }) => collapsedName(name))
  const guessed = new Map<ImportField, number>()
  const questions: Question[] = []
  const used = new Set(taken)
  const isExport = columns.some(({ name }) => isOwnName('categoryId', name))
  let repeatedNumber: number | undefined

  const indexes = (matches: (column: FileColumn, name: string) => boolean) =>
    columns.flatMap((column, i) => (!used.has(i) && matches(column, names[i] ?? '') ? [i] : []))

  function settle(field: ImportField, candidates: readonly number[]): void {
    const [index, another] = candidates
    if (index === undefined) return
    if (another !== undefined) questions.push({ field, columns: candidates })
    else if (field === 'number' && columns[index]?.repeats) repeatedNumber = index
    else guessed.set(field, index)
    if (another === undefined) used.add(index)
  }

  const hasPeople = names.some((name) => people.test(name))
  /** Whether a column may have the names of the owners: beside their first names, a Name is that of a person. */
  const mayBeOfPerson = (index: number) => hasPeople && !ofAnimal.test(names[index] ?? '')

  const isOpen = (field: ImportField) =>
    isWanted(field) && !guessed.has(field) && !questions.some((question) => question.field === field)

  function apply({ field, names: expressions, accepts = () => true }: Rule): void {
    if (!isOpen(field) || (field === 'number' && repeatedNumber !== undefined)) return
    const isOwn = ({ name }: FileColumn) => isOwnName(field, name) && (isExport || !checkedFields.includes(field))
    for (const expression of expressions) {
      const candidates = indexes((column, name) => expression.test(name) && (accepts(column) || isOwn(column)))
      const exact = candidates.filter((i) => columns[i]?.name === field)
      const isOfPerson = field === 'name' && candidates.length === 1 && mayBeOfPerson(candidates[0] ?? 0)
      if (isOfPerson)
        questions.push({ field, columns: indexes((column, name) => isText(column) && isNameOf(field, name)) })
      else settle(field, exact.length === 1 ? exact : candidates)
      if (candidates.length > 0) return
    }
  }

  apply({ field: 'attributes', names: [attributes], accepts: hasLists })
  apply({ field: 'status', names: [/^status$/] })
  if (isOpen('status')) settle('status', statusColumns(columns, used))
  for (const rule of rules) {
    // In the export of a store, `id` is the id of the animal there.
    const isId = rule.field === 'number' && isExport
    apply(isId ? { ...rule, names: rule.names.slice(0, 1) } : rule)
  }
  if (isOpen('category')) apply({ field: 'categoryId', names: [categoryId] })
  if (isOpen('category') && !guessed.has('categoryId')) {
    const breed = guessed.get('breed')
    const possible = indexes((column, name) => isGroups(column) && isNameOf('category', name))
    const all = breed === undefined ? possible : [...possible, breed]
    if (all.length > 0) questions.push({ field: 'category', columns: all })
  }
  const [quantity] = indexes((column, name) => quantities.test(name) && isNumeric(column))
  const [age] = indexes((column, name) => ages.test(name) && column.filled > 0)
  return { columns: guessed, questions, repeatedNumber, quantity, age }
}

/** The indexes of the columns that are most probably a status by their values. */
function statusColumns(columns: readonly FileColumn[], used: ReadonlySet<number>): readonly number[] {
  const found = columns.flatMap((column, index) => {
    const name = collapsedName(column.name)
    // An animal can be called Hold.
    const isOther = used.has(index) || column.hasMore || otherStates.test(name) || isNameOf('name', name)
    const known = isOther ? 0 : shareOfStatuses(column)
    return known < 0.5 ? [] : { index, weight: known + (statusNames.test(name) ? 1 : 0) }
  })
  const most = Math.max(...found.map(({ weight }) => weight))
  return found.flatMap(({ index, weight }) => (weight === most ? index : []))
}

/** The share of a column's values that are words for a status; 0 if none is of an animal that lives. */
function shareOfStatuses(column: FileColumn): number {
  const isKnown = (word: string) => knownStatus(word) !== undefined
  const isAlive = (word: string) => isKnown(word) && knownStatus(word) !== 'dead'
  const isAsked = askedStatus(column.name) !== undefined
  const answers = isAsked ? share(column, (word) => isAnswer(word) || isKnown(word)) : 0
  // A column of words says more than one that answers a question.
  if (answers === 1) return 0.9
  return share(column, isAlive) === 0 ? 0 : share(column, isKnown)
}

/** The index of a column with the day of each row, from which an age is counted. */
export function dayColumn(columns: readonly FileColumn[]): number | undefined {
  const index = columns.findIndex(
    ({ name, words }) => days.test(collapsedName(name)) && [...words.keys()].some((word) => /\d/.test(word)),
  )
  return index === -1 ? undefined : index
}
