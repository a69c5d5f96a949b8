/** The account for which something is made: the owner's own unless another one is chosen. */

import { NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { accountsQuery } from '../../api/accounts.ts'
import { useSession } from '../../session/use-session.ts'

interface AccountFieldProps {
  readonly value: number
  readonly onChange: (accountId: number) => void
  readonly description: string
}

export function AccountField({ value, onChange, description }: AccountFieldProps) {
  const { account } = useSession()
  const { data = [account] } = useQuery(accountsQuery)
  return (
    <NativeSelect
      label="Account"
      description={description}
      value={value}
      onChange={({ currentTarget }) => onChange(Number(currentTarget.value))}
    >
      {data.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </NativeSelect>
  )
}
