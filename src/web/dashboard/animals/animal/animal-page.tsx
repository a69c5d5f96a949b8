/** The page of an animal: its photos, its profile, its orders, and the way to its neighbours in the list. */

import { Button, Group, Text } from '@mantine/core'
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type MouseEvent, useEffect, useLayoutEffect, useRef } from 'react'
import { Link, useSearchParams } from 'wouter'
import { queryClient } from '../../api/queries.ts'
import { useSignal } from '../../signal.ts'
import { ChangeButton } from '../../ui/change.tsx'
import { isolated } from '../../ui/format.ts'
import { BackLink, Page } from '../../ui/page.tsx'
import { RecordMenu } from '../../ui/record-menu.tsx'
import { Loaded, LoadingRows } from '../../ui/states.tsx'
import { Status } from '../../ui/status.tsx'
import { changeStatus } from '../actions.tsx'
import { useCurrency } from '../currency.tsx'
import { filtersOf, type Pet, petStates, searchOf } from '../filters.ts'
import type { AnimalList } from '../list/animal-list.ts'
import { useFreshRows } from '../list/use-animal-list.ts'
import { AnimalMenuItems } from '../menu-items.tsx'
import { formatMoney } from '../money.ts'
import { profileQuery, useCategoryNames, useHoldingOrders } from '../queries.ts'
import type { Profile } from './draft.ts'
import { OrdersSection } from './orders-section.tsx'
import { PhotosSection } from './photos-section.tsx'
import { ProfileForm } from './profile-form.tsx'

interface AnimalPageProps {
  readonly id: number
  /** The list from which somebody came. */
  readonly list: AnimalList
}

export function AnimalPage({ id, list }: AnimalPageProps) {
  const query = useQuery(profileQuery(id))
  const currency = useCurrency()
  const [parameters] = useSearchParams()
  const search = searchOf(filtersOf(parameters))
  // The list below is scrolled.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each animal begins at the top
  useLayoutEffect(() => {
    scrollTo(0, 0)
  }, [id])
  const profile = query.data?.record
  const known = useSignal(list.state, ({ rows }) => rows.find((row) => row.id === id))
  return (
    <Page
      title={profile?.pet.name ?? known?.name ?? 'Animal'}
      lead={profile && <Lead profile={profile} />}
      actions={
        <>
          {profile && query.error === null && <Actions pet={profile.pet} list={list} />}
          <Neighbours id={id} list={list} search={search} />
          <BackLink href={`/animals${search}`}>Animals</BackLink>
        </>
      }
    >
      <Loaded
        query={query}
        list={{ href: `/animals${search}`, label: 'Show all animals' }}
        loading={<LoadingRows rows={12} height={52} label="Loading the animal…" />}
      >
        {({ record }) =>
          currency !== undefined && (
            <ProfileForm
              key={id}
              profile={record}
              currency={currency}
              photos={<PhotosSection pet={record.pet} photos={record.photos} />}
              orders={<OrdersSection pet={record.pet} />}
            />
          )
        }
      </Loaded>
    </Page>
  )
}

function Lead({ profile: { pet, number, price, currency } }: { readonly profile: Profile }) {
  const nameOf = useCategoryNames()
  return (
    <Group component="span" gap="0.3rem 0.6rem">
      <Status of={petStates[pet.status]} />
      <span>{nameOf(pet.categoryId)}</span>
      <span>{number === null ? `no. ${pet.id}` : isolated(number)}</span>
      {price !== null && currency !== null && (
        <Text span fw={600} c="var(--mantine-color-text)">
          {price === 0 ? 'Free' : formatMoney(price, currency)}
        </Text>
      )}
    </Group>
  )
}

/** The same changes as in the row of the animal. */
function Actions({ pet, list }: { readonly pet: Pet; readonly list: AnimalList }) {
  const orderId = useHoldingOrders()?.get(pet.id)
  const { status } = pet
  return (
    <>
      {status === 'pending' && orderId !== undefined && (
        <Button component={Link} href={`/orders/${orderId}`} variant="default">
          Open order {orderId}
        </Button>
      )}
      {status !== 'sold' && (status !== 'pending' || orderId === undefined) && (
        <ChangeButton size="sm" change={() => changeStatus(pet, 'sold', list)}>
          Mark as sold
        </ChangeButton>
      )}
      <RecordMenu label={`More for ${pet.name}`}>
        <AnimalMenuItems pet={pet} list={list} />
      </RecordMenu>
    </>
  )
}

/** An animal that is not among the loaded ones is looked for among so many. */
const searchedRows = 2_000

interface NeighboursProps extends AnimalPageProps {
  readonly search: string
}

/** The animals before and after this one in the list. */
function Neighbours({ id, list, search }: NeighboursProps) {
  const { rows, isLoading, isComplete, error } = useSignal(list.state)
  const index = rows.findIndex((row) => row.id === id)
  // An animal that has left the list, because it is sold for instance, keeps its place.
  const place = useRef({ id, index })
  if (index !== -1 || place.current.id !== id) place.current = { id, index }
  const { index: at } = place.current
  const [before, after] = at === -1 ? [] : [rows[at - 1], rows[index === -1 ? at : at + 1]]
  useFreshRows(list, Math.max(at - 1, 0), Math.max(at + 1, 0))
  useEffect(() => {
    const isWanted = at === -1 ? rows.length < searchedRows : after === undefined
    if (isWanted && !isLoading && !isComplete && error === undefined) void list.loadMore()
  }, [list, at, rows.length, after, isLoading, isComplete, error])
  useEffect(() => {
    for (const neighbour of [after, before]) {
      if (neighbour !== undefined) void queryClient.prefetchQuery(profileQuery(neighbour.id))
    }
  }, [before, after])
  return (
    <Button.Group>
      <Neighbour pet={before} search={search} side="left">
        Previous
      </Neighbour>
      <Neighbour pet={after} search={search} side="right">
        Next
      </Neighbour>
    </Button.Group>
  )
}

interface NeighbourProps {
  readonly pet: Pet | undefined
  readonly search: string
  readonly side: 'left' | 'right'
  readonly children: string
}

/** At an end of the list it leads nowhere, and keeps the focus. */
function Neighbour({ pet, search, side, children }: NeighbourProps) {
  const Icon = side === 'left' ? IconChevronLeft : IconChevronRight
  const section = { [side === 'left' ? 'leftSection' : 'rightSection']: <Icon size={16} aria-hidden="true" /> }
  return (
    <Button
      renderRoot={(props) => <Link {...props} href={pet === undefined ? '' : `/animals/${pet.id}${search}`} replace />}
      variant="default"
      {...section}
      {...(pet === undefined
        ? { 'aria-disabled': true, 'data-disabled': true, onClick: (event: MouseEvent) => event.preventDefault() }
        : { 'aria-label': `${children}: ${pet.name}` })}
    >
      {children}
    </Button>
  )
}
