import { describe, expect, test } from 'bun:test'
import { isBuilt } from '../../testing/executable.ts'
import { serverPerFile } from '../../testing/per-test/workspace.ts'

const { petstore, json, send } = serverPerFile()
const headers = { 'Content-Type': 'application/json' }
const setCurrency = (currency: string) => petstore('settings', 'set', `currency=${currency}`)
const add = () =>
  send('/v1/pets', { method: 'POST', headers, body: JSON.stringify({ name: 'Honeysuckle', categoryId: 2 }) })

describe.skipIf(!isBuilt)('the profile of an animal', () => {
  test('is changed and printed, with its price in the currency of the store', async () => {
    await add()
    const refused = await petstore('pets', 'set', '1', 'price=49.90')
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('petstore settings set currency=EUR')])
    expect((await petstore('settings', 'show')).out).toContain('none yet')
    expect(await json('settings', 'set', 'currency=eur')).toEqual({ currency: 'EUR' })
    expect((await petstore('settings', 'show')).out).toBe('Currency  EUR\n')
    expect((await petstore('settings', 'set', 'currency=XYZ')).err).toContain('must be the code of a currency')
    const set = ['price=49.9', 'number=A-1', 'breed=Maine Coon', 'birthDate=2026-03', 'published=false']
    const changed = { number: 'A-1', breed: 'Maine Coon', birthDate: '2026-03', price: 4_990, published: false }
    expect(await json('pets', 'set', '1', ...set)).toMatchObject({ ...changed, currency: 'EUR' })
    const { out } = await petstore('pets', 'show', '1')
    expect(out).toMatch(/^Animal +1 Honeysuckle\nStatus +available\n/)
    expect(out).toMatch(/^Price +49\.90 EUR\n(.*\n)*Published +no$/m)
    expect(out).not.toContain('Color')
    const emptied = await json('pets', 'set', '1', 'price=', 'breed=', 'description=x=y')
    expect(emptied).toMatchObject({ price: null, breed: null, number: 'A-1', description: 'x=y' })
    expect((await petstore('pets', 'show', '99')).err).toBe('petstore: There is no animal 99.\n')
  })

  test('has other facts under labels, each of which is changed on its own', async () => {
    const facts = async (...texts: string[]) => (await json('pets', 'set', '1', ...texts)).attributes
    const [weight, food] = [
      { label: 'Weight', text: '4 kg' },
      { label: 'Food', text: 'a=b' },
    ]
    expect(await facts('attributes.Weight=4 kg', 'attributes.Food=a=b')).toEqual([weight, food])
    expect(await facts('attributes.weight=5 kg')).toEqual([{ label: 'weight', text: '5 kg' }, food])
    expect(await facts('attributes.WEIGHT=')).toEqual([food])
    expect((await petstore('pets', 'show', '1')).out).toMatch(/^Food +a=b$/m)
    const { code, err } = await petstore('pets', 'set', '1', `attributes.${'x'.repeat(41)}=1`)
    expect([code, err]).toEqual([1, expect.stringContaining('attributes.1.label must have')])
  })

  test('has prices in the smallest unit of any currency', async () => {
    for (const [currency, given, price, words] of [
      ['EUR', '0.05', 5, '0.05 EUR'],
      ['JPY', '4990', 4_990, '4990 JPY'],
      ['KWD', '1.5', 1_500, '1.500 KWD'],
      ['USD', '10000000000.00', 1_000_000_000_000, '10000000000.00 USD'],
      ['USD', '0', 0, '0.00 USD'],
    ] as const) {
      await setCurrency(currency)
      expect((await json('pets', 'set', '1', `price=${given}`)).price).toBe(price)
      expect((await petstore('pets', 'show', '1')).out).toContain(words)
    }
    await setCurrency('EUR')
    for (const text of ['49,90', '1.234', '-1', '1e3', 'free', '.5', '0x10']) {
      const { code, err } = await petstore('pets', 'set', '1', `price=${text}`)
      const rule = `price must be a number with at most 2 decimals, such as 49.90, not "${text}".`
      expect([code, err]).toEqual([2, expect.stringContaining(rule)])
    }
  })

  test.each([
    [['1', 'bred=Boxer'], 'Did you mean breed?'],
    [['1', 'weight=x'], 'The members are number, breed,'],
    [['1', 'attributes=x'], 'Did you mean attributes.LABEL?'],
    [['1', 'attributes.=x'], 'There is no member "attributes."'],
    [['1', 'breed'], 'breed needs a value: breed=VALUE.'],
    [['1', 'breed=a', 'breed=b'], 'breed must be given only once.'],
    [['1', 'published=yes'], 'published must be true or false, not "yes".'],
    [['x', 'breed=a'], 'ID must be'],
    [['1'], 'An argument is missing'],
  ])('wrong usage is one line and changes nothing: %j', async (args, message) => {
    const { code, out, err } = await petstore('pets', 'set', ...args)
    expect([code, out, err]).toEqual([2, '', expect.stringContaining(message)])
    expect(err.trimEnd().split('\n')).toHaveLength(1)
  })
})
