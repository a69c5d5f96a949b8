/** The page of animals: their list, the page of one of them, their categories, and the import. */

import { Activity } from 'react'
import { Route, Switch, useRoute, useSearchParams } from 'wouter'
import { AnimalPage } from './animal/animal-page.tsx'
import { CategoriesPage } from './categories-page.tsx'
import { filtersOf } from './filters.ts'
import { ImportPage } from './import/import-page.tsx'
import { useAnimalList } from './list/use-animal-list.ts'
import { ListPage } from './list-page.tsx'

export function AnimalsPage() {
  return (
    <Switch>
      <Route path="/animals/categories">
        <CategoriesPage />
      </Route>
      <Route path="/animals/import">
        <ImportPage />
      </Route>
      <Route>
        <ListAndAnimal />
      </Route>
    </Switch>
  )
}

/** The list stays as it is while the page of one of its animals is shown: Back leads to the same row. */
function ListAndAnimal() {
  const [, route] = useRoute('/animals/:id')
  const id = Number(route?.id)
  const isAnimal = id > 0
  const [parameters] = useSearchParams()
  const lists = useAnimalList(filtersOf(parameters))
  return (
    <>
      <Activity mode={isAnimal ? 'hidden' : 'visible'}>
        <ListPage {...lists} />
      </Activity>
      {isAnimal && <AnimalPage id={id} list={lists.list} />}
    </>
  )
}
