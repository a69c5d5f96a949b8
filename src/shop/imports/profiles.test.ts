import { beforeEach, describe, expect, test } from 'bun:test'
import { importsPerTest } from './testing/per-test.ts'

const { opened, send } = importsPerTest()

const setCurrency = (currency: string) => opened.store.call('PATCH', '/v1/store/settings', { body: { currency } })

/** The members of the profiles that the rows of a file have given. */
async function profiles() {
  const { json } = await opened.store.call('GET', '/v1/pets/profiles')
  const left = ['petId', 'pet', 'photos', 'updatedAt', 'currency']
  return json.map((profile: Record<string, unknown> & { pet: { name: string } }) => {
    const isKnown = ([name, value]: [string, unknown]) =>
      !left.includes(name) && ![null, true, ''].includes(value as null)
    const known = Object.entries(profile).filter((entry) => isKnown(entry) && `${entry[1]}` !== '')
    return { name: profile.pet.name, ...Object.fromEntries(known) }
  })
}
const query = (parameters: Record<string, string>) => `?${new URLSearchParams(parameters)}`

describe('the members of a profile', () => {
  beforeEach(() => setCurrency('EUR'))

  test('are read from columns with common names, in the ways of people', async () => {
    const { json } = await send(
      `Animal ID,Name,Animal Type,Sex upon Outcome,DOB,Breed,Color,Price,Microchip Number,Description
A1,Rex,Dog,Neutered Male,05/05/2020 12:00:00 AM,Labrador,Black,"€ 1,234.50",985 112 345 678 903,"Friendly.
Likes children."
A2,Mia,Cat,Spayed Female,12/24/2021 12:00:00 AM,,,80,,
A3,Bo,Dog,Unknown,,,,,,
`,
    )
    expect(json).toMatchObject({ imported: 3, skipped: 0, unreadValues: [], unusedColumns: [] })
    expect(await profiles()).toEqual([
      {
        name: 'Rex',
        number: 'A1',
        sex: 'male',
        birthDate: '2020-05-05',
        breed: 'Labrador',
        color: 'Black',
        price: 123_450,
        microchip: '985112345678903',
        description: 'Friendly.\nLikes children.',
      },
      { name: 'Mia', number: 'A2', sex: 'female', birthDate: '2021-12-24', price: 8_000 },
      { name: 'Bo', number: 'A3' },
    ])
  })

  test('that cannot be read are left out and counted, and never cost the animal', async () => {
    const { json } = await send(
      'name,category,sex,birthDate,price,breed\nRex,Dog,yes,soon,$80,Lab\nMia,Cat,yes,31.02.2024,5,Manx\nBo,Dog,f,2090,1,x\n',
    )
    expect(json).toMatchObject({
      imported: 3,
      skipped: 0,
      unreadValues: [
        { message: 'sex cannot be read: "yes"', rows: 2, lines: [2, 3] },
        { message: 'birthDate cannot be read: "soon"', rows: 1, lines: [2] },
        { message: 'price cannot be read in EUR: "$80"', rows: 1, lines: [2] },
        { message: 'birthDate cannot be read: "31.02.2024"', rows: 1, lines: [3] },
        { message: 'birthDate is in the future: "2090"', rows: 1, lines: [4] },
      ],
    })
    expect(await profiles()).toEqual([
      { name: 'Rex', breed: 'Lab' },
      { name: 'Mia', price: 500, breed: 'Manx' },
      { name: 'Bo', sex: 'female', price: 100, breed: 'x' },
    ])
  })

  test('are dates with the day or the month first, as the whole file or the parameter says', async () => {
    const born = async (dates: readonly string[], parameters = {}) => {
      const rows = dates.map((date, i) => `${i},Dog,${date}\n`).join('')
      const { json } = await send(`name,category,birthDate\n${rows}`, query(parameters))
      const added = (await opened.store.call('GET', `/v1/pets/profiles?importId=${json.id}`)).json
      return { unread: json.unreadValues, dates: added.map(({ birthDate }: { birthDate: string }) => birthDate) }
    }
    expect(await born(['03/04/2024', '14/03/2024'])).toEqual({ unread: [], dates: ['2024-04-03', '2024-03-14'] })
    expect(await born(['03/04/2024', '03/14/2024'])).toEqual({ unread: [], dates: ['2024-03-04', '2024-03-14'] })
    expect(await born(['03/04/2024', '05/05/2024'])).toEqual({
      unread: [{ message: expect.stringContaining('dates=dmy or dates=mdy'), rows: 1, lines: [2] }],
      dates: [null, '2024-05-05'],
    })
    expect((await born(['03/04/2024'], { dates: 'dmy' })).dates).toEqual(['2024-04-03'])
    expect(await born(['05/06/9999'], { dates: 'dmy' })).toEqual({
      unread: [{ message: 'birthDate is in the future: "9999-06-05"', rows: 1, lines: [2] }],
      dates: [null],
    })
  })

  test('is an age only where it is chosen, counted from the day of its row', async () => {
    const file =
      'Name,AnimalType,DateTime,AgeuponOutcome\nHambone,Dog,2014-02-12 18:22:00,1 year\nPearce,Dog,2015-01-31,8 weeks\n'
    expect((await send(file)).json).toMatchObject({ unusedColumns: expect.arrayContaining(['AgeuponOutcome']) })
    await send(file, query({ columns: 'birthDate=AgeuponOutcome' }))
    expect((await profiles()).slice(2)).toEqual([
      { name: 'Hambone', birthDate: '2013' },
      { name: 'Pearce', birthDate: '2014-12' },
    ])
  })

  test('are also attributes, of the columns that are named or of all others', async () => {
    const file = 'name,category,Kennel,Vaccinated,Breed\nRex,Dog,12,yes,Lab\nMia,Cat,,no,\n'
    await send(file, query({ attributes: 'Vaccinated|Breed' }))
    await send(file, query({ attributes: 'all' }))
    const [first, second, third] = await profiles()
    expect(first).toMatchObject({ breed: 'Lab' })
    expect(first.attributes).toEqual([
      { label: 'Vaccinated', text: 'yes' },
      { label: 'Breed', text: 'Lab' },
    ])
    expect(second.attributes).toEqual([{ label: 'Vaccinated', text: 'no' }])
    expect(third.attributes).toEqual([
      { label: 'Kennel', text: '12' },
      { label: 'Vaccinated', text: 'yes' },
    ])
    const missing = await send(file, query({ attributes: 'Chip' }))
    expect([missing.status, missing.json.message]).toEqual([400, expect.stringMatching(/^attributes: .*"Chip"/)])
  })

  test('are removed with their animals by an undo, and their numbers are free', async () => {
    await send('name,category,number\nRex,Dog,A1\n')
    await opened.store.call('DELETE', '/v1/imports/1')
    expect((await send('name,category,number\nRex,Dog,A1\n')).json).toMatchObject({ imported: 1, alreadyThere: 0 })
  })
})

test('a price without a currency of the store is left out', async () => {
  const { json } = await send('name,category,price\nRex,Dog,80\n')
  expect(json).toMatchObject({
    imported: 1,
    unreadValues: [{ message: 'price needs a currency: set that of the store first', rows: 1 }],
  })
})

test('a number that two rows have is a problem of the second where it was chosen, and no number where it was guessed', async () => {
  const file = 'Name,Species,Animal ID\nRex,Dog,A1\nMia,Cat,a1\n'
  const guessed = await send(file)
  expect(guessed.json).toMatchObject({ imported: 2, unusedColumns: ['Animal ID'] })
  const chosen = await send(file, query({ columns: 'number=Animal ID', listInvalid: 'true' }))
  expect(chosen.json).toMatchObject({ imported: 0, errors: [{ line: 3, message: 'number is that of line 2' }] })
})
