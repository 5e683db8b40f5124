import { type DeletionPlan, type ProjectStarters, projectRoutes } from '@flotilla/contract';
import { newestOfLine, parseVersionRequest } from '@flotilla/envoy-dist';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { createLookup } from '../nouns/lookup.ts';
import type { Noun } from '../nouns/noun.ts';
import { act, change, get, list } from '../nouns/verb.ts';
import { age } from '../output.ts';
import { describeParts } from './describe-parts.ts';
import { DESCRIPTION, DRY_RUN, NAME, NEW_NAME, QUERY } from './inputs.ts';

const projects = createLookup(projectRoutes.list, { one: 'project', id: ({ id }) => id, name: ({ name }) => name });
const PROJECT = { flags: '<project>', help: 'name or id', to: 'project_id', lookup: projects } as const;

const starterVersions = createLookup(projectRoutes.starters, {
  one: 'version',
  name: (version: string) => version,
  rows: ({ versions }) => ['none', ...versions],
}).source;

/** Only for owners of the installation. Other users see their projects with `whoami`. */
export const PROJECTS: Noun = {
  help: 'list, create and delete projects (owners of the installation)',
  place: 'controller',
  verbs: {
    list: list(projectRoutes.list, {
      help: 'every project',
      inputs: [QUERY],
      columns: {
        name: 'name',
        members: 'member_count',
        created: age('created_at'),
        description: 'description',
        id: 'id',
      },
    }),
    get: get(projectRoutes.get, {
      inputs: [PROJECT],
      text: ({ name, member_count: members, created_at: at, id }) =>
        `${name}  ${members} members  created ${at}  ${id}`,
    }),
    create: act(
      {
        help: 'create a project, with starter documents and a group "default" for all of its members',
        route: projectRoutes.create,
        inputs: [
          NAME,
          DESCRIPTION,
          {
            flags: '--starters <versions>',
            help: 'proxy versions of the starter documents: 1.40.0, 1.40, several with commas, or none',
            source: starterVersions,
          },
          DRY_RUN,
        ],
      },
      async ({ reach: { connection }, request }, values: { name: string; starters?: string; dryRun?: boolean }) => {
        const { name, dryRun } = values;
        const { body: offered } = await connection.call(projectRoutes.starters, {});
        const versions = chooseStarters(offered, values.starters);
        const { body } = await connection.call(projectRoutes.create, {
          query: request.query,
          body: { name, ...request.body, starters: versions },
        });
        const documents = `, with ${offered.documents.length} documents for Envoy ${versions.join(' and ')}`;
        const what = versions.length > 0 ? documents : '';
        const text = dryRun ? `Project ${name} could be created${what}.` : `Project ${name} created: ${body.id}${what}`;
        return { json: body, text };
      },
    ),
    change: change(projectRoutes.patch, {
      inputs: [PROJECT, NEW_NAME, DESCRIPTION],
      text: ({ name }) => `Project ${name} changed.`,
    }),
    plan: get(projectRoutes.planDeletion, {
      help: 'all that would be deleted with a project, and what prevents it',
      inputs: [PROJECT],
      text: (plan, { id }) => describeDeletion(id('project'), plan),
    }),
    delete: act(
      {
        help: 'delete an empty project; with --plan, a project with all its contents',
        route: projectRoutes.delete,
        inputs: [
          PROJECT,
          {
            flags: '--plan <digest>',
            help: 'the digest that projects plan shows; refused if the contents changed since',
            to: 'plan',
          },
          DRY_RUN,
        ],
      },
      async ({ reach: { connection }, request: { query }, id, name, values }) => {
        await connection.call(projectRoutes.delete, { params: { project_id: id('project') }, query });
        const text = `Project ${name('project')} ${values.dryRun ? 'could be deleted' : 'deleted'}.`;
        return { json: { deleted: id('project'), dry_run: values.dryRun === true }, text };
      },
    ),
  },
};

function describeDeletion(id: string, { digest, contents, running }: DeletionPlan): string {
  const held = describeParts(contents);
  const what = held.length === 0 ? ['The project is empty.'] : ['With the project:', ...held];
  const next =
    running.length === 0
      ? [`Delete it with: flotilla projects delete ${id} --plan ${digest}`]
      : ['Undeploy these first:', ...running.map(({ service, client }) => `  ${service} on ${client}`)];
  return [...what, ...next].join('\n');
}

/** Resolves a minor version such as `1.39` to the newest version that the controller knows. The controller has a default. */
function chooseStarters(offered: ProjectStarters, wanted: string | undefined): string[] {
  if (wanted === 'none') return [];
  const versions = (wanted ?? offered.default_version).split(',').map((text) => {
    const request = parseVersionRequest(text);
    if (!request) throw new CliFailure(EXIT.usage, `"${text}" is not a proxy version: 1.40.0, or 1.40 for its newest`);
    if (request.kind === 'exact') return request.version;
    const newest = newestOfLine(offered.versions, request.line);
    if (newest === undefined)
      throw new CliFailure(EXIT.usage, `No version of ${request.line} is known: ${offered.versions.join(', ')}`);
    return newest;
  });
  return [...new Set(versions)];
}
