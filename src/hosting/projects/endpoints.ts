/** The endpoints of projects. */

import { created, endpoint, gathered, json, mergePatch, page, removed, resource, updated } from '../../api/endpoint.ts'
import { idParameter } from '../../api/parameters.ts'
import { maximumProjects, maximumSlugs } from './rules.ts'
import { NewProject, Project, ProjectChange, ProjectPreview, Projects, previewParameters } from './schemas.ts'

const params = { projectId: idParameter('Id of the project.') }
const common = { tag: 'projects' } as const
const others = 'Without the scope `admin`, a project of another account is not found.'

export const projectEndpoints = {
  listProjects: endpoint({
    ...common,
    method: 'GET',
    path: '/projects',
    summary: 'List projects',
    description:
      'Returns a page of projects, by id ascending: those of the account of the key, or all with the scope `admin`.',
    scope: 'projects:read',
    success: page(Projects, {
      description: 'A page of projects.',
      cursorName: 'projects',
    }),
  }),
  createProject: endpoint({
    ...common,
    method: 'POST',
    path: '/projects',
    summary: 'Create a project',
    description: `Creates a project and gives it a slug made from its name, with a suffix if the slug is taken or reserved. The slug is never given to another account, even if the project is deleted.\n\nThe project belongs to the account of the key; a key with \`admin\` may name another account. An account has at most ${maximumProjects} projects, and at most ${maximumSlugs} slugs are reserved for it.`,
    scope: 'projects:write',
    body: json(NewProject),
    success: created(Project, { description: 'The project.' }),
    errors: ['not_found', 'conflict'],
  }),
  previewProject: endpoint({
    ...common,
    method: 'GET',
    path: '/projects/preview',
    summary: 'Preview the address of a new project',
    description:
      'Returns the slug and the address that a project of this name would get now, and reserves nothing: until the project is created, another one may take the slug.',
    scope: 'projects:write',
    query: previewParameters,
    success: gathered(ProjectPreview, { description: 'The slug and the address.' }),
    errors: ['not_found'],
  }),
  getProject: endpoint({
    ...common,
    method: 'GET',
    path: '/projects/{projectId}',
    params,
    summary: 'Fetch a project',
    description: `Returns one project. ${others}`,
    scope: 'projects:read',
    success: resource(Project, { description: 'The project.' }),
  }),
  updateProject: endpoint({
    ...common,
    method: 'PATCH',
    path: '/projects/{projectId}',
    params,
    summary: 'Rename a project',
    description: `Changes the name. The slug and all other members are unchanged. ${others}`,
    scope: 'projects:write',
    body: mergePatch(ProjectChange),
    success: updated(Project, { description: 'The project as it is now.' }),
  }),
  deleteProject: endpoint({
    ...common,
    method: 'DELETE',
    path: '/projects/{projectId}',
    params,
    summary: 'Delete a project',
    description: `Deletes a project and its deploys permanently, unless it has the web shop. Its slug remains reserved for its account. ${others}`,
    scope: 'projects:write',
    success: removed({ description: 'The project is deleted.' }),
    errors: ['conflict'],
  }),
}
