/** The events of projects. */

import { changeEvent, type EventDeclarations, event } from '../../access/events/declare.ts'
import { Project } from './schemas.ts'

export const projectEvents = {
  'project.created': event(Project, 'A project was created.'),
  'project.updated': changeEvent(Project, 'A project was renamed.', { name: 'Paws' }),
  'project.deleted': event(Project, 'A project was deleted, with its deploys and its domains.'),
} satisfies EventDeclarations
