import { expect, test } from 'bun:test'
import { isAddress, nameInAddress } from './name.ts'

test('a pasted address gives the name of its website', () => {
  for (const [text, name] of [
    ['https://www.kiosk.example/', 'Kiosk'],
    [' WWW.Paws-And-Co.example ', 'Paws and co'],
    ['http://shop.kiosk.example:8080/a?b#c', 'Shop'],
    ['https://192.0.2.1/', undefined],
    ['https://www.xn--5o8h.example', undefined],
    ['https://', undefined],
    ['Kiosk', undefined],
    ['Paws & Co.', undefined],
    ['www', undefined],
  ] as const) {
    expect([text, nameInAddress(text)]).toEqual([text, name])
  }
  expect(
    ['https://192.0.2.1/', 'www.kiosk.example', 'Kiosk', 'www. Kiosk', 'Dogs: all of them'].map(isAddress),
  ).toEqual([true, true, false, false, false])
})
