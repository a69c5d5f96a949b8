/** The currency of the store: all prices are in it. It is asked for with the first price. */

import { NativeSelect } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import type { ComponentProps } from 'react'
import { api, bodyOf } from '../api/client.ts'
import { queryClient } from '../api/queries.ts'
import { type Currency, currencies, currencyName } from './currencies.ts'

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
