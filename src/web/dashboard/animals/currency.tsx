/**
 * The currencies that a store can have, and the one that it has: all prices are in it. It is asked for with the first
 * price.
 */

import { NativeSelect } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import type { ComponentProps } from 'react'
import { api, bodyOf, type Schemas } from '../api/client.ts'
import { queryClient } from '../api/queries.ts'

export type Currency = NonNullable<Schemas['StoreSettingsChange']['currency']>

/** Those that the API accepts. */
export const currencies = `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD
CAD CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL
HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD
MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR
SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VED VES
VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG`.split(/\s/) as readonly Currency[]

/** The regions whose currency does not begin with their code, as USD begins with US (ISO 4217). */
const regionsOf = {
  EUR: 'AD AT AX BE BG BL CY DE EE ES FI FR GF GP GR HR IE IT LT LU LV MC ME MF MQ MT NL PM PT RE SI SK SM TF VA XK YT',
  USD: 'AS BQ EC FM GU IO MH MP PR PW SV TC TL UM VG VI',
  GBP: 'GG IM JE',
  AUD: 'CC CX HM KI NF NR TV',
  NZD: 'CK NU PN TK',
  XAF: 'CF CG CM GA GQ TD',
  XOF: 'BF BJ CI GW ML NE SN TG',
  XCD: 'AG AI DM GD KN LC MS VC',
  XPF: 'NC PF WF',
  XCG: 'CW SX',
  DKK: 'FO GL',
  NOK: 'BV SJ',
  CHF: 'LI',
  ILS: 'PS',
  MAD: 'EH',
  VES: 'VE',
} as const

/** The currency of the region of a language, such as `de-CH`; `de` stands for Germany. */
export function currencyOf(language: string): Currency {
  const region = new Intl.Locale(language).maximize().region ?? 'US'
  const [named] = Object.entries(regionsOf).find(([, regions]) => regions.split(' ').includes(region)) ?? []
  return (named as Currency | undefined) ?? currencies.find((code) => code.startsWith(region)) ?? 'USD'
}

const names = new Intl.DisplayNames('en', { type: 'currency' })

/** As in `Euro (EUR)`. */
export const currencyName = (code: string): string => `${names.of(code) ?? code} (${code})`

const settingsQuery = queryOptions({
  queryKey: ['store-settings'],
  queryFn: ({ signal }) => bodyOf(api.GET('/store/settings', { signal })),
  meta: { topics: ['settings'] },
})

/** The currency of the store: null if there is none yet, undefined while it is loading. */
export const useCurrency = (): string | null | undefined => useQuery(settingsQuery).data?.currency

export async function setCurrency(currency: Currency): Promise<void> {
  const settings = await bodyOf(api.PATCH('/store/settings', { body: { currency } }))
  queryClient.setQueryData(settingsQuery.queryKey, settings)
}

const choices = currencies
  .map((code) => ({ code, label: currencyName(code) }))
  .toSorted((a, b) => a.label.localeCompare(b.label, 'en'))

/** The field for the currency of the store. */
export function CurrencyField(props: ComponentProps<typeof NativeSelect>) {
  return (
    <NativeSelect label="Currency of the store" {...props}>
      {choices.map(({ code, label }) => (
        <option key={code} value={code}>
          {label}
        </option>
      ))}
    </NativeSelect>
  )
}
