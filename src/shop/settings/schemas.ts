/** JSON schemas of the settings of the store. */

import { type Static, Type } from '@sinclair/typebox'
import { faultOf, nullable, requestObject, stringEnum } from '../../api/schemas.ts'

/** The currencies in circulation (ISO 4217), without funds and precious metals. */
const currencies = `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF
CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF
IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT
MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR
SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VED VES VND VUV
WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG`.split(/\s/)

/** A currency in a response. */
export const storedCurrency = (description: string) =>
  Type.String({ minLength: 3, maxLength: 3, pattern: '^[A-Z]{3}$', description, examples: ['EUR'] })

export const StoreSettings = Type.Object(
  { currency: nullable(storedCurrency('The currency of all prices, as an ISO 4217 code; null until one is set.')) },
  { title: 'StoreSettings', description: 'The settings of the store.', examples: [{ currency: 'EUR' }] },
)
export type StoreSettings = Static<typeof StoreSettings>

export const StoreSettingsChange = requestObject(
  {
    currency: Type.Optional(
      nullable(
        stringEnum(currencies, {
          [faultOf]: () => 'must be the code of a currency in circulation (ISO 4217), such as EUR',
          description: 'The currency of all prices, as an ISO 4217 code. It can be changed, but not removed.',
          examples: ['EUR'],
        }),
      ),
    ),
  },
  {
    title: 'StoreSettingsChange',
    description: 'The settings to change. The others are unchanged.',
    examples: [{ currency: 'EUR' }],
  },
)
