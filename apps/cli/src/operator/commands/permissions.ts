import {
  LEVELS,
  type Level,
  type PermissionView,
  permissionRoutes,
  RESOURCE_ACCESS,
  RESOURCE_KINDS,
  type ResourceKind,
} from '@flotilla/contract';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { createLookup } from '../nouns/lookup.ts';
import type { Noun } from '../nouns/noun.ts';
import { readRows } from '../nouns/rows.ts';
import type { Source } from '../nouns/sources.ts';
import { act, type Given, get, toTable } from '../nouns/verb.ts';
import type { Scope } from '../records.ts';
import { groups, users } from './lookups.ts';

const KIND = { flags: '<kind>', choices: RESOURCE_KINDS } as const;
const SUBJECT = [
  { flags: '--user <name>', help: 'a member, by name or id', lookup: users },
  { flags: '--group <name>', help: 'a group, by name or id', lookup: groups },
] as const;

/** Lists the names of the kind that precedes the name on the command line. */
const resources: Source = {
  kind: 'names',
  needsProject: true,
  list: async (reach, { args: [kind] }) => {
    if (kind === undefined || kind === 'document') return [];
    const found = await readRows(reach, permissionRoutes.resources, { query: { kind: kind as ResourceKind } as never });
    return ['*', ...found.map(({ name }) => name)];
  },
};
const WHAT = {
  flags: '<what>',
  help: 'name (documents: collection/name) or id, or "*" for all',
  source: resources,
} as const;

interface Subject {
  readonly kind: 'user' | 'group';
  readonly id: string;
  readonly name: string;
}

export const PERMISSIONS: Noun = {
  help: 'what editors and viewers may access in the project: list, grant, revoke, reach, access',
  place: 'project',
  verbs: {
    list: act(
      { help: 'who has which permissions', inputs: [...SUBJECT, { flags: '--kind <kind>', choices: RESOURCE_KINDS }] },
      async (given, { kind }: { kind?: ResourceKind }) =>
        toTable(await listPermissions(given.scope, { subject: findSubject(given), kind }), {
          who: ({ subject }) => `${subject.kind} ${subject.name}`,
          may: 'level',
          kind: ({ resource }) => resource.kind,
          what: describeResource,
          'granted by': 'granted_by',
          id: 'id',
        }),
    ),
    get: get(permissionRoutes.get, {
      help: 'one permission: its resource, who has it and who granted it',
      inputs: [
        {
          flags: '<permission>',
          help: 'id',
          to: 'permission_id',
          lookup: createLookup(permissionRoutes.list, { one: 'permission', name: ({ id }) => id }),
        },
      ],
    }),
    grant: act(
      {
        help: 'give a member or group a level on one resource, or with "*" on all of the kind',
        inputs: [KIND, WHAT, { flags: '<level>', choices: LEVELS }, ...SUBJECT],
      },
      async (given, { kind, what, level }: { kind: ResourceKind; what: string; level: Level }) => {
        const { connection, project } = given.scope;
        const { id, kind: subjectKind } = requireSubject(given);
        const resource = { kind, id: await findResourceId(given.scope, kind, what) };
        const body = { subject: { kind: subjectKind, id }, resource, level };
        const { body: granted } = await connection.call(permissionRoutes.grant, { query: { project }, body });
        return { json: granted, text: `${granted.subject.name} may ${level} ${describeResource(granted)}.` };
      },
    ),
    revoke: act(
      { help: 'revoke a permission', inputs: [KIND, WHAT, ...SUBJECT] },
      async (given, { kind, what }: { kind: ResourceKind; what: string }) => {
        const { connection, project } = given.scope;
        const subject = requireSubject(given);
        const id = await findResourceId(given.scope, kind, what);
        const found = (await listPermissions(given.scope, { subject, kind })).find(
          ({ resource }) => resource.id === id,
        );
        if (!found) throw new CliFailure(EXIT.notFound, `${subject.name} has no permission there.`);
        await connection.call(permissionRoutes.revoke, { params: { permission_id: found.id }, query: { project } });
        const text = `${found.subject.name} has no permission on ${describeResource(found)} any more.`;
        return { json: { revoked: found.id }, text };
      },
    ),
    reach: act(
      {
        help: 'what each member may do with one resource, and through what: role, user, group, or all of its kind',
        inputs: [KIND, WHAT],
      },
      async ({ scope }, { kind, what }: { kind: ResourceKind; what: string }) => {
        const id = await findResourceId(scope, kind, what);
        if (id === null) throw new CliFailure(EXIT.usage, 'Give one resource. "*" means all of the kind.');
        const params = { resource_id: id };
        const query = { project: scope.project, kind };
        return toTable(await readRows(scope, permissionRoutes.reach, { params, query }), {
          member: 'username',
          role: 'role',
          may: ({ level }) => level ?? 'nothing',
          by: ({ by }) => by.join(' '),
        });
      },
    ),
    access: act(
      {
        help: 'whether all members may access everything (open), or editors and viewers only what is granted (listed)',
        inputs: [
          { flags: '[mode]', help: 'the new mode; if left out, prints the current mode', choices: RESOURCE_ACCESS },
        ],
      },
      async ({ scope: { connection, project } }, { mode }: { mode?: (typeof RESOURCE_ACCESS)[number] }) => {
        const query = { project };
        const { body } = mode
          ? await connection.call(permissionRoutes.setAccess, { query, body: { resource_access: mode } })
          : await connection.call(permissionRoutes.access, { query });
        return { json: body, text: body.resource_access };
      },
    ),
  },
};

function findSubject({ values, id, name }: Given): Subject | undefined {
  if (values.user !== undefined && values.group !== undefined)
    throw new CliFailure(EXIT.usage, 'Give either --user or --group.');
  const kind = (['user', 'group'] as const).find((one) => values[one] !== undefined);
  return kind && { kind, id: id(kind), name: name(kind) };
}

function requireSubject(given: Given): Subject {
  const subject = findSubject(given);
  if (!subject) throw new CliFailure(EXIT.usage, 'Give either --user or --group.');
  return subject;
}

function listPermissions(scope: Scope, filter: { subject: Subject | undefined; kind: ResourceKind | undefined }) {
  const { subject, kind } = filter;
  const of = subject && { [`${subject.kind}_id`]: subject.id };
  return readRows(scope, permissionRoutes.list, { query: { project: scope.project, ...(kind && { kind }), ...of } });
}

/** Returns the id of a resource, or null for all of the kind. */
async function findResourceId(scope: Scope, kind: ResourceKind, what: string): Promise<string | null> {
  if (what === '*') return null;
  const wanted = what.split('/').at(-1) ?? what;
  const items = await readRows(scope, permissionRoutes.resources, { query: { project: scope.project, kind } });
  const found = items.filter(
    ({ id, name, collection }) =>
      id === what || (name === wanted && (wanted === what || what === `${collection}/${name}`)),
  );
  const [only, ...others] = found;
  if (!only) throw new CliFailure(EXIT.notFound, `There is no ${kind} ${what} in this project.`);
  if (others.length === 0) return only.id;
  const ids = found.map(({ id, collection, version }) => [id, collection, version].filter(Boolean).join(' '));
  throw new CliFailure(EXIT.usage, `There are several ${kind}s ${what}. Use the id:`, ids);
}

function describeResource({ resource: { kind, id, name, collection, version } }: PermissionView): string {
  if (id === null) return `all (${kind})`;
  const place = collection === undefined ? (name ?? id) : `${collection}/${name ?? id}`;
  return version === undefined ? place : `${place} ${version}`;
}
