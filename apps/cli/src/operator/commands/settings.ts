import { type CallOutput, settingRoutes } from '@flotilla/contract';
import type { Command } from 'commander';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { formatAge, note, print, printJson, printList } from '../output.ts';
import type { Scope } from '../records.ts';
import { parseObject } from './option-values.ts';
import { readSecret } from './read-secret.ts';
import type { Runner } from './runner.ts';
import { type CommonOptions, openScope, withJson, withProject } from './scope-options.ts';
import { describeStep } from './trial-step.ts';

type SettingKind = CallOutput<typeof settingRoutes.kinds>['items'][number];
type SettingRevision = CallOutput<typeof settingRoutes.revisions>['items'][number];

interface SetOptions extends CommonOptions {
  readonly stdin?: boolean;
  readonly secretStdin?: string;
}

interface ResetOptions extends CommonOptions {
  readonly confirm?: number;
}

/** Settings documents of the installation and of projects. */
export function addSettingCommands(program: Command, runner: Runner): void {
  const { io } = runner;
  const settings = program
    .command('settings')
    .description('settings documents: list, get, create, set, test, reset, history');

  withJson(withProject(settings.command('list')))
    .description('which settings there are, and whether you may change them')
    .action(
      runner.list(
        () => COLUMNS,
        async (options: CommonOptions) => await listSettingKinds(await openScope(io, options)),
      ),
    );

  withProject(settings.command('get'))
    .description('one document as JSON, without its secrets')
    .argument(...PLACE)
    .argument('[name]', 'the NAME, where it is not beside the kind')
    .action(
      runner.action(async (place: string, apart: string | undefined, options: CommonOptions) => {
        const scope = await openScope(io, options);
        const { key, name, query } = await findDocument(scope, place, apart);
        const { body } =
          name === undefined
            ? await scope.connection.call(settingRoutes.get, { params: { key }, query })
            : await scope.connection.call(settingRoutes.getNamed, { params: { key, name }, query });
        printJson(io, body);
        return EXIT.ok;
      }),
    );

  withFields(withJson(withProject(settings.command('set'))).argument(...PLACE))
    .description('change fields of a document: host=log.example port=6514 policy.store_headers=true; empty takes away')
    .action(
      runner.action(async (place: string, assignments: readonly string[], options: SetOptions) => {
        const scope = await openScope(io, options);
        const { key, name, query } = await findDocument(scope, place);
        const body = await readChanges(runner, assignments, options);
        const answer =
          name === undefined
            ? await scope.connection.call(settingRoutes.patch, { params: { key }, query, body })
            : await scope.connection.call(settingRoutes.patchNamed, { params: { key, name }, query, body });
        if (options.json) printJson(io, answer.body);
        else note(io, `${place} is changed: revision ${answer.body.revision}.`);
        return EXIT.ok;
      }),
    );

  withFields(withJson(withProject(settings.command('create'))).argument('<place>', 'kind/NAME'))
    .description('make a document of a kind of which there are many: create cloud/main region_name=north')
    .action(
      runner.answer(async (place: string, assignments: readonly string[], options: SetOptions) => {
        const scope = await openScope(io, options);
        const { key, name, query } = await findDocument(scope, place);
        if (name === undefined) throw new CliFailure(EXIT.usage, `There is one of ${key}: flotilla settings set`);
        const body = await readChanges(runner, assignments, options);
        // One that is there is not replaced.
        const request = { params: { key, name }, query, body, headers: { 'if-none-match': '*' } };
        const { body: made } = await scope.connection.call(settingRoutes.replaceNamed, request);
        return { json: made, text: `${place} is made.` };
      }),
    );

  withJson(withProject(settings.command('test')))
    .description('try a document as it is stored; 1 where it does not work')
    .argument(...PLACE)
    .argument('[name]', 'the NAME, where it is not beside the kind')
    .action(
      runner.action(async (place: string, apart: string | undefined, options: CommonOptions) => {
        const scope = await openScope(io, options);
        const { key, name, query } = await findDocument(scope, place, apart);
        const { body } =
          name === undefined
            ? await scope.connection.call(settingRoutes.test, { params: { key }, query })
            : await scope.connection.call(settingRoutes.testNamed, { params: { key, name }, query });
        if (options.json) printJson(io, body);
        else for (const step of body.steps) print(io, describeStep(step));
        return body.ok ? EXIT.ok : EXIT.failed;
      }),
    );

  withJson(withProject(settings.command('reset')))
    .description('back to the defaults, without secrets; of a kind of which there are many: delete it')
    .argument(...PLACE)
    .argument('[name]', 'the NAME, where it is not beside the kind')
    .option('--confirm <people>', 'that so many people would be locked out is meant, as the refusal says', Number)
    .action(
      runner.answer(async (place: string, apart: string | undefined, options: ResetOptions) => {
        const scope = await openScope(io, options);
        const { key, name, query: found } = await findDocument(scope, place, apart);
        const query = { ...found, confirm: options.confirm };
        if (name === undefined) await scope.connection.call(settingRoutes.reset, { params: { key }, query });
        else await scope.connection.call(settingRoutes.deleteNamed, { params: { key, name }, query });
        return {
          json: { reset: key, name: name ?? null },
          text: name === undefined ? `${key} is as it was at first.` : `${key}/${name} is deleted.`,
        };
      }),
    );

  withJson(withProject(settings.command('history')))
    .description('the last 100 revisions of a document, newest first; --json with what they said, without secrets')
    .argument(...PLACE)
    .argument('[name]', 'the NAME, where it is not beside the kind')
    .action(
      runner.action(async (place: string, apart: string | undefined, options: CommonOptions) => {
        const scope = await openScope(io, options);
        const { key, name, query } = await findDocument(scope, place, apart);
        const { body } =
          name === undefined
            ? await scope.connection.call(settingRoutes.revisions, { params: { key }, query })
            : await scope.connection.call(settingRoutes.revisionsOfNamed, { params: { key, name }, query });
        const now = Date.now();
        const columns = [
          { title: 'revision', value: (row: SettingRevision) => row.revision },
          { title: 'by', value: (row: SettingRevision) => row.updated_by },
          { title: 'written', value: (row: SettingRevision) => formatAge(row.updated_at, now) },
          { title: 'at', value: (row: SettingRevision) => row.updated_at },
        ];
        printList(io, { rows: body.items, columns }, options);
        return EXIT.ok;
      }),
    );
}

const COLUMNS = [
  { title: 'kind', value: ({ key }: SettingKind) => key },
  { title: 'title', value: ({ title }: SettingKind) => title },
  { title: 'of', value: ({ scope }: SettingKind) => scope },
  { title: 'names', value: ({ names }: SettingKind) => names.join(' ') },
  { title: 'may change', value: ({ may_write }: SettingKind) => (may_write ? 'yes' : 'no') },
];

const PLACE = ['<kind>', 'such as syslog; kind/NAME where there are many'] as const;

function withFields(command: Command): Command {
  return command
    .argument('[field=value...]', 'values are JSON where they can be, else text')
    .option('--stdin', 'read a JSON object of fields from standard input')
    .option('--secret-stdin <field>', 'read the value of this field from standard input: secrets are never arguments');
}

/** Also for completion. */
export async function listSettingKinds({ connection, project }: Scope): Promise<SettingKind[]> {
  return (await connection.call(settingRoutes.kinds, { query: { project } })).body.items;
}

/**
 * `place` is a kind, or kind/NAME; the name may come apart from it. Documents of the installation are asked for without a project
 * by those who may change them, and through one by others.
 */
async function findDocument(scope: Scope, place: string, apart?: string) {
  const [asked = '', ...names] = [...place.split('/'), ...(apart === undefined ? [] : [apart])];
  const [name] = names;
  if (names.length > 1 || name === '') throw new CliFailure(EXIT.usage, `Say one document: ${asked}/NAME`);
  const kind = (await listSettingKinds(scope)).find(({ key }) => key === asked);
  if (!kind) throw new CliFailure(EXIT.notFound, `There are no settings "${asked}". See: flotilla settings list`);
  if (kind.named && name === undefined)
    throw new CliFailure(
      EXIT.usage,
      `There are many of ${asked}: say which. There are ${kind.names.join(', ') || 'none yet'}`,
    );
  if (!kind.named && name !== undefined) throw new CliFailure(EXIT.usage, `There is one of ${asked}: it has no name`);
  const isBare = kind.scope === 'installation' && kind.may_write;
  return { key: kind.key, name, query: isBare ? {} : { project: scope.project } };
}

async function readChanges({ io }: Runner, assignments: readonly string[], { stdin, secretStdin }: SetOptions) {
  if (stdin && secretStdin !== undefined)
    throw new CliFailure(EXIT.usage, 'Standard input is read once: --stdin or --secret-stdin');
  const changes: Record<string, unknown> = stdin ? parseObject(await readSecret(io), 'Standard input') : {};
  for (const assignment of assignments) {
    const at = assignment.indexOf('=');
    if (at < 1) throw new CliFailure(EXIT.usage, `"${assignment}" is not field=value`);
    put(changes, assignment.slice(0, at), parseValue(assignment.slice(at + 1)));
  }
  if (secretStdin !== undefined) put(changes, secretStdin, await readSecret(io));
  if (Object.keys(changes).length === 0) throw new CliFailure(EXIT.usage, 'Say what to change: field=value');
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
  if (!/^\w+$/.test(name) || name === '__proto__') throw new CliFailure(EXIT.usage, `"${path}" is no field`);
  if (rest.length === 0) {
    into[name] = value;
    return;
  }
  const inner = into[name];
  const holder = typeof inner === 'object' && inner !== null ? { ...inner } : {};
  put(holder, rest.join('.'), value);
  into[name] = holder;
}
