import { type CallOutput, settingRoutes } from '@flotilla/contract';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { createLookup } from '../nouns/lookup.ts';
import type { Noun } from '../nouns/noun.ts';
import { act, type Given, list, toTable } from '../nouns/verb.ts';
import { age } from '../output.ts';
import { parseObject } from './option-values.ts';
import { readSecret } from './read-secret.ts';
import { describeStep } from './trial-step.ts';

interface SetOptions {
  readonly 'field=value'?: readonly string[];
  readonly stdin?: boolean;
  readonly secretStdin?: string;
}

const kinds = createLookup(settingRoutes.kinds, { one: 'kind of settings', name: ({ key }) => key });

const KIND = { flags: '<kind>', help: 'such as syslog; kind/NAME if there are many', lookup: kinds } as const;
const NAME_APART = { flags: '[name]', help: 'the NAME, if it is not part of the kind' } as const;
const INSTALLATION = { flags: '--installation', help: 'the document of the installation' } as const;
const FIELDS = [
  { flags: '[field=value...]', help: 'values are JSON if they can be, otherwise text' },
  { flags: '--stdin', help: 'read a JSON object of fields from standard input' },
  {
    flags: '--secret-stdin <field>',
    help: 'read the value of this field from standard input: secrets are never arguments',
  },
] as const;

export const SETTINGS: Noun = {
  help: 'settings documents: list, get, create, set, test, reset, history',
  place: 'project',
  verbs: {
    list: list(settingRoutes.kinds, {
      help: 'the settings, and whether you may change them',
      columns: {
        kind: 'key',
        title: 'title',
        of: (kind) => (kind.per_project ? 'both' : kind.scope),
        names: ({ names }) => names.join(' '),
        'may change': 'may_write',
      },
    }),
    get: act(
      { help: 'one document as JSON, without its secrets', isRaw: true, inputs: [KIND, NAME_APART, INSTALLATION] },
      async (given) => {
        const { connection, params, named, query } = await findDocument(given);
        const { body } = named
          ? await connection.call(settingRoutes.getNamed, { params: named, query })
          : await connection.call(settingRoutes.get, { params, query });
        return { json: body, text: JSON.stringify(body, null, 2) };
      },
    ),
    set: act(
      {
        help: 'change fields of a document: host=log.example port=6514 policy.raw_sample_rate=0.5; an empty value clears a field',
        inputs: [KIND, ...FIELDS, INSTALLATION],
      },
      async (given, options: SetOptions) => {
        const { connection, params, named, query, place } = await findDocument(given);
        const body = await readChanges(given, options);
        const { body: changed } = named
          ? await connection.call(settingRoutes.patchNamed, { params: named, query, body })
          : await connection.call(settingRoutes.patch, { params, query, body });
        return {
          json: changed,
          note: `${place} changed: revision ${changed.revision}.${describeSwitch(place, changed.value)}`,
        };
      },
    ),
    create: act(
      {
        help: 'create a document of a kind that has many: create cloud/main region_name=north',
        inputs: [{ flags: '<place>', help: 'kind/NAME' }, ...FIELDS],
      },
      async (given, options: SetOptions) => {
        const { connection, params, named, query, place } = await findDocument(given);
        if (!named)
          throw new CliFailure(
            EXIT.usage,
            `There is only one document of ${params.key}. Change it with: flotilla settings set ${params.key}`,
          );
        const body = await readChanges(given, options);
        // Does not replace an existing document.
        const request = { params: named, query, body, headers: { 'if-none-match': '*' } };
        const { body: created } = await connection.call(settingRoutes.replaceNamed, request);
        return { json: created, text: `${place} created.` };
      },
    ),
    test: act(
      {
        help: 'test a stored document; exit code 1 if it does not work',
        inputs: [KIND, NAME_APART, INSTALLATION],
      },
      async (given) => {
        const { connection, params, named, query } = await findDocument(given);
        const { body } = named
          ? await connection.call(settingRoutes.testNamed, { params: named, query })
          : await connection.call(settingRoutes.test, { params, query });
        return { json: body, text: body.steps.map(describeStep).join('\n'), exit: body.ok ? EXIT.ok : EXIT.failed };
      },
    ),
    reset: act(
      {
        help: 'restore the defaults, without secrets; of a kind that has many, delete the document',
        inputs: [
          KIND,
          NAME_APART,
          INSTALLATION,
          {
            flags: '--confirm <people>',
            help: 'number of people who will be locked out, as the refusal says',
            read: Number,
          },
        ],
      },
      async (given, { confirm }: { confirm?: number }) => {
        const { connection, params, named, query: found } = await findDocument(given);
        const query = { ...found, confirm };
        if (named) await connection.call(settingRoutes.deleteNamed, { params: named, query });
        else await connection.call(settingRoutes.reset, { params, query });
        const text = named ? `${named.key}/${named.name} deleted.` : `${params.key} has its defaults again.`;
        return { json: { reset: params.key, name: named?.name ?? null }, text };
      },
    ),
    history: act(
      {
        help: 'the last 100 revisions of a document, newest first; with --json their contents, without secrets',
        inputs: [KIND, NAME_APART, INSTALLATION],
      },
      async (given) => {
        const { connection, params, named, query } = await findDocument(given);
        const { body } = named
          ? await connection.call(settingRoutes.revisionsOfNamed, { params: named, query })
          : await connection.call(settingRoutes.revisions, { params, query });
        type Revision = CallOutput<typeof settingRoutes.revisions>['items'][number];
        return toTable<Revision>(body.items, {
          revision: 'revision',
          by: 'updated_by',
          written: age('updated_at'),
          at: 'updated_at',
        });
      },
    ),
  },
};

/**
 * Finds the document for `kind`, `kind/NAME` or `kind NAME`. Callers who may change documents of the installation read them without
 * a project, other callers through a project. If projects can have their own document, it is the default without --installation.
 */
async function findDocument({ reach, values }: Given) {
  const place = String(values.kind ?? values.place);
  const [key = '', ...names] = [...place.split('/'), ...(values.name === undefined ? [] : [String(values.name)])];
  const [name] = names;
  if (names.length > 1 || name === '') throw new CliFailure(EXIT.usage, `Give one document: ${key}/NAME`);
  const isInstallation = values.installation === true;
  if (isInstallation && values.project !== undefined)
    throw new CliFailure(EXIT.usage, 'Give either --project or --installation.');
  const kind = (await kinds.list(reach)).find((one) => one.key === key);
  if (!kind) throw new CliFailure(EXIT.notFound, `There are no settings "${key}". See: flotilla settings list`);
  if (kind.named && name === undefined)
    throw new CliFailure(
      EXIT.usage,
      `There are several documents of ${key}. Give one of: ${kind.names.join(', ') || '(none yet)'}`,
    );
  if (!kind.named && name !== undefined)
    throw new CliFailure(EXIT.usage, `There is only one document of ${key}, which has no name`);
  if (isInstallation && kind.scope !== 'installation')
    throw new CliFailure(EXIT.usage, `Each project has its own settings "${key}". Leave out --installation.`);
  const isWithoutProject = kind.scope === 'installation' && (kind.per_project ? isInstallation : kind.may_write);
  const params = { key: kind.key };
  return {
    connection: reach.connection,
    place,
    params,
    named: name === undefined ? undefined : { ...params, name },
    query: isWithoutProject ? {} : { project: reach.project },
  };
}

async function readChanges({ io }: Given, { 'field=value': assignments = [], stdin, secretStdin }: SetOptions) {
  if (stdin && secretStdin !== undefined)
    throw new CliFailure(EXIT.usage, 'Standard input is read once: --stdin or --secret-stdin');
  const changes: Record<string, unknown> = stdin ? parseObject(await readSecret(io), 'Standard input') : {};
  for (const assignment of assignments) {
    const at = assignment.indexOf('=');
    if (at < 1) throw new CliFailure(EXIT.usage, `"${assignment}" is not field=value`);
    put(changes, assignment.slice(0, at), parseValue(assignment.slice(at + 1)));
  }
  if (secretStdin !== undefined) put(changes, secretStdin, await readSecret(io));
  if (Object.keys(changes).length === 0)
    throw new CliFailure(EXIT.usage, 'Nothing to change. Give fields: field=value');
  return changes;
}

function parseValue(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function put(into: Record<string, unknown>, path: string, value: unknown): void {
  const [name = '', ...rest] = path.split('.');
  if (!/^\w+$/.test(name) || name === '__proto__') throw new CliFailure(EXIT.usage, `"${path}" is not a field`);
  if (rest.length === 0) {
    into[name] = value;
    return;
  }
  const inner = into[name];
  const holder = typeof inner === 'object' && inner !== null ? { ...inner } : {};
  put(holder, rest.join('.'), value);
  into[name] = holder;
}

/** Warns about settings that have no effect because they are switched off. */
function describeSwitch(place: string, value: Readonly<Record<string, unknown>>): string {
  return value.enabled === false ? ` It is off: turn it on with \`flotilla settings set ${place} enabled=true\`.` : '';
}
