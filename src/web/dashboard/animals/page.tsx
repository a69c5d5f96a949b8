/** The page of animals, with their categories and the import. */

import { Route, Switch } from 'wouter'
import { CategoriesPage } from './categories-page.tsx'
import { ImportPage } from './import/import-page.tsx'
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
        <ListPage />
      </Route>
    </Switch>
  )
}
