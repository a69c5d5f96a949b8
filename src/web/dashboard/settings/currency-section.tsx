/** The currency of all prices. */

import { Button, Modal, Text } from '@mantine/core'
import { useState } from 'react'
import {
  type Currency,
  CurrencyField,
  currencyName,
  currencyOf,
  setCurrency,
  useCurrency,
} from '../animals/currency.tsx'
import { formatMoney } from '../animals/money.ts'
import { Form, useFields } from '../ui/form.tsx'
import { showDone } from '../ui/notices.tsx'
import { Section } from '../ui/page.tsx'
import { LoadingRows } from '../ui/states.tsx'
import { Row } from './rows.tsx'

export function CurrencySection() {
  const currency = useCurrency()
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <Section title="Prices">
      {currency === undefined ? (
        <LoadingRows rows={1} />
      ) : (
        <Row
          title={currency === null ? 'No currency yet' : currencyName(currency)}
          buttons={
            <Button size="xs" variant={currency === null ? 'filled' : 'default'} onClick={() => setOpen(true)}>
              {currency === null ? 'Set currency' : 'Change currency'}
            </Button>
          }
        >
          {currency === null
            ? 'Prices need one. All prices of this store are in the same currency.'
            : 'All prices of this store are in this currency.'}
        </Row>
      )}
      <Modal opened={isOpen} onClose={close} title="Currency of prices">
        {currency !== undefined && <CurrencyForm currency={currency} onClose={close} />}
      </Modal>
    </Section>
  )
}

interface CurrencyFormProps {
  readonly currency: string | null
  readonly onClose: () => void
}

function CurrencyForm({ currency, onClose }: CurrencyFormProps) {
  const { values, of } = useFields<{ currency: string }>({ currency: currency ?? currencyOf(navigator.language) })
  const isChange = currency !== null && values.currency !== currency

  async function save(isShown: () => boolean): Promise<void> {
    await setCurrency(values.currency as Currency)
    showDone(`Prices are in ${currencyName(values.currency)} now.`)
    if (isShown()) onClose()
  }

  return (
    <Form
      onSubmit={save}
      action={currency === null ? 'Set currency' : 'Change currency'}
      color={isChange ? 'red' : 'brand'}
      isDisabled={values.currency === currency}
      onCancel={onClose}
    >
      <CurrencyField {...of('currency')} data-autofocus />
      {isChange && (
        <Text role="status">
          No price is converted: what costs {formatMoney(4_990, currency)} now will cost{' '}
          {formatMoney(4_990, values.currency)}. Orders keep the prices that they have.
        </Text>
      )}
    </Form>
  )
}
