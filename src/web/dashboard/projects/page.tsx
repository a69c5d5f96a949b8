/** The pages of projects: the list, one project, and its domains. */

import { Route, Switch } from 'wouter'
import { ProjectPage } from './detail/project-page.tsx'
import { ListPage } from './list-page.tsx'

export function ProjectsPage() {
  return (
    <Switch>
      <Route path="/projects">
        <ListPage />
      </Route>
      <Route path="/projects/:id/*?">{({ id }) => <ProjectPage key={id} id={Number(id)} />}</Route>
    </Switch>
  )
}
