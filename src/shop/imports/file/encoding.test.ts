import { expect, test } from 'bun:test'
import { createEncodingGuess, type Encoding } from './encoding.ts'

/** Names, and words that lists of animals have, as people of each country write them. */
const lists: readonly (readonly [Encoding, readonly string[]])[] = [
  ['windows-1252', ['Müller', 'Bärbel', 'Straße', 'Käthe', 'Vögel', 'Größe', 'männlich', 'ÄNNE']],
  ['windows-1252', ['Chloé', 'Zoé', 'François', 'Félix', 'Noël', 'mâle', 'oiseau à bec crochu', 'Bébé']],
  ['windows-1252', ['Peña', 'Muñeca', 'Ratón', 'Niña', 'José', 'Pájaro', 'Ángel', 'pequeño']],
  ['windows-1252', ['João', 'Cão', 'Coração', 'Princesa Inês', 'fêmea', 'São', 'Tição', 'Mãe']],
  ['windows-1252', ['Bjørn', 'Søren', 'Åse', 'Kålormen', 'høne', 'Ærlig', 'Smørrebrød']],
  ['windows-1252', ['Åsa', 'Göran', 'Älg', 'Höna', 'Björn', 'Mäyrä', 'Hätönen', 'Kissa-Päivi']],
  ['windows-1252', ['Guðrún', 'Þór', 'Köttur', 'Hundur Æði', 'Ásta', 'Sigríður', 'Blíða']],
  ['windows-1250', ['Łatek', 'Żółw', 'śnieżka', 'Gąsienica', 'dostępny', 'świnka', 'Pączek', 'Jaź', 'MAŁY']],
  ['windows-1250', ['Bárt', 'Žofka', 'Kočka', 'Řízek', 'Křeček', 'Štěně', 'Micák', 'Růženka']],
  ['windows-1250', ['Cirmos cica', 'Fülöp', 'Göndör', 'Őzike', 'nőstény', 'Füles', 'kutyus Bodzás', 'hörcsög']],
  ['windows-1250', ['Căţel', 'Pisică', 'Mâţu', 'Bălţat', 'Şoricel', 'Ţuţi', 'Lăbuş', 'câine']],
  ['windows-1250', ['Mačka', 'Štene', 'Žućo', 'Đuro', 'Kućni ljubimac', 'Crnić', 'Čupko']],
  ['iso-8859-2', ['Łatek', 'Żółw', 'śnieżka', 'Gąsienica', 'dostępny', 'świnka', 'Pączek']],
  ['iso-8859-2', ['Bárt', 'Žofka', 'Kočka', 'Řízek', 'Křeček', 'Štěně', 'Micák', 'Růženka']],
  ['windows-1251', ['Мурка', 'Барсик', 'Кошка', 'Собака', 'Попугай', 'Рыжий', 'ШАРИК', 'продан']],
  ['windows-1251', ['Сірко', 'Їжак', 'Кіт', 'Пес Рябко', 'Євген', 'Мурчик', 'доступний']],
  ['windows-1253', ['Μαύρος', 'Γάτα', 'Σκύλος', 'Άσπρη', 'Παπαγάλος', 'Ζουζού', 'διαθέσιμο']],
  [
    'windows-1254',
    ['Boncuk', 'Paşa', 'Kedi Şeker', 'Köpek', 'Çıtır', 'Yıldız', 'kuş', 'satıldı', 'Işıl', 'Dağ', 'İnci'],
  ],
  ['windows-1257', ['Rudė', 'Šuo', 'Katė', 'Žąsis', 'Varlė', 'Margučių', 'Ežiukė', 'Ančiukas']],
  ['windows-1257', ['Kaķis', 'Suņuks', 'Mīkstiņš', 'Rūķis', 'Žurka', 'Mārīte', 'pārdots', 'Ņurka']],
  ['macintosh', ['Müller', 'Bärbel', 'Straße', 'Käthe', 'Vögel', 'Größe', 'männlich']],
  ['macintosh', ['Chloé', 'Zoé', 'François', 'Félix', 'Noël', 'mâle', 'Bébé', 'chien très âgé']],
  ['macintosh', ['Peña', 'Muñeca', 'Ratón', 'Niña', 'José', 'Pájaro', 'pequeño']],
  ['macintosh', ['Bjørn', 'Søren', 'Åse', 'Kålormen', 'høne', 'Smørrebrød']],
]

/** A text in an encoding of one byte for each character. */
function encoded(text: string, encoding: Encoding): Buffer {
  const decoder = new TextDecoder(encoding)
  const codes = new Map(Array.from({ length: 256 }, (_, code) => [decoder.decode(Buffer.from([code])), code]))
  return Buffer.from(
    Array.from(text, (character) => codes.get(character) ?? expect.unreachable(`${character} is not in ${encoding}`)),
  )
}

function guess(text: string, encoding: Encoding) {
  const bytes = encoded(text, encoding)
  const guesses = createEncodingGuess()
  guesses.see(bytes)
  const used = guesses.best()
  const { candidates } = guesses.found(used)
  return { used, text: new TextDecoder(used).decode(bytes), candidates }
}
const csv = (names: readonly string[]) =>
  `Name;Category;Status\r\n${names.map((name) => `${name};x;sold\r\n`).join('')}`

test('a list of a few names is read in its encoding without a question, whatever its language', () => {
  for (const [encoding, names] of lists) {
    const text = csv(names)
    expect(guess(text, encoding)).toEqual({ used: encoding, text, candidates: [] })
  }
})

test('a list of one to three words beyond ASCII is read as it was written, or its encoding has to be chosen', () => {
  for (const [count, mostAsked] of [
    [1, 0.6],
    [3, 0.1],
  ] as const) {
    // Single words of Baltic languages, which few stores have, are read as those of Western ones.
    const tested = lists.filter(([encoding]) => count > 1 || encoding !== 'windows-1257')
    const parts = tested.flatMap(([encoding, names]) =>
      names.slice(count - 1).map((_, i) => [encoding, names.slice(i, i + count)] as const),
    )
    let asked = 0
    for (const [encoding, names] of parts) {
      const text = csv(['Rex', ...names, 'Tom'])
      const { text: read, candidates } = guess(text, encoding)
      if (candidates.length > 0) asked++
      else expect([encoding, read]).toEqual([encoding, text])
    }
    expect(asked / parts.length).toBeLessThanOrEqual(mostAsked)
  }
})

test('a text that makes no sense in any encoding has to be asked about, with a word in each', () => {
  const guesses = createEncodingGuess()
  // Names of dogs in GBK, which is none of the encodings.
  guesses.see(Buffer.from('name\n\xcd\xfa\xb2\xc6\n\xd0\xa1\xba\xda\n\xb6\xb9\xb6\xb9\n\xbf\xc9\xc0\xd6\n', 'latin1'))
  const { candidates } = guesses.found(guesses.best())
  expect(candidates.length).toBeGreaterThan(2)
})
