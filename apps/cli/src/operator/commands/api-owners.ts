import {
  API_CRITICALITIES,
  API_DATA_CLASSES,
  type ApiOwnerPreview,
  type ApiTeam,
  apiOwnerRoutes,
  type CallInput,
  type OwnedOperation,
} from '@flotilla/contract';
import { parse, stringify } from 'yaml';
import { ifMatch } from '../apply/change.ts';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { readSources } from '../manifest/files.ts';
import { pipeResponse, saveNewFile } from '../new-file.ts';
import type { Noun } from '../nouns/noun.ts';
import { FILES } from '../nouns/sources.ts';
import { act, type Given, get, idAs, list, send, toTable, type Verb } from '../nouns/verb.ts';
import { age, type Columns, renderTable } from '../output.ts';
import { DRY_RUN, LIMIT } from './inputs.ts';

const OPERATION = { flags: '<operation>', help: 'id', to: 'operation_id' } as const;
const OUT = { flags: '--out <file>', help: 'a new file instead of the terminal', source: FILES } as const;
const RULES_FILE = {
  flags: '-f, --file <file>',
  help: 'YAML or JSON; - for standard input',
  source: FILES,
  isRequired: true,
} as const;
const FILTERS = [
  { flags: '--team <team>', help: '"" for none', to: 'team' },
  { flags: '--owner <owner>', help: '"" for none', to: 'owner' },
  { flags: '--criticality <criticality>', to: 'criticality' },
  { flags: '--data <class>', help: 'class of data', to: 'data_class' },
  { flags: '--tag <tag>', to: 'tag' },
  {
    flags: '--unauthenticated',
    help: 'changes something without credentials',
    to: 'unauthenticated_write',
    value: 'true',
  },
  { flags: '-q, --query <text>', help: 'part of the host or path', to: 'q' },
] as const;

const TEAMS: Columns<ApiTeam> = {
  team: ({ team }) => team || '(no team)',
  endpoints: 'operation_count',
  critical: ({ risk }) => risk.critical,
  high: ({ risk }) => risk.high,
  medium: ({ risk }) => risk.medium,
  'unauthenticated writes': 'unauthenticated_writes',
  'personal data': 'personal_data',
  'no owner': 'without_owner',
};

const OPERATIONS: Columns<OwnedOperation> = {
  id: 'operation_id',
  method: 'method',
  host: 'host',
  path: 'path',
  team: 'team',
  owner: 'owner',
  criticality: 'criticality',
  data: ({ data_classes: classes }) => classes.join(' '),
  tags: ({ tags }) => tags.join(' '),
  threat: 'active_risk_score',
  seen: age('last_seen'),
};

const PREVIEW: Columns<ApiOwnerPreview['rules'][number]> = {
  rule: 'name',
  matched: 'matched',
  effective: 'effective',
  'hidden by': ({ shadowed, shadowed_by }) => (shadowed ? shadowed_by.join(', ') || 'rules before it' : ''),
};

/** Admins write rules and overrides; every member reads. */
export const API_OWNERS: Noun = {
  help: 'teams and owners of the operations, by rules and for single operations',
  place: 'project',
  verbs: {
    rules: get(apiOwnerRoutes.rules, { text: ({ rules }) => stringify({ rules }) }),
    'set-rules': createSetRules(),
    preview: createPreview(),
    teams: act({ help: 'the teams with their risks and data', route: apiOwnerRoutes.teams }, async ({ scope }) => {
      const { body } = await scope.connection.call(apiOwnerRoutes.teams, { query: { project: scope.project } });
      return { ...toTable(body.items, TEAMS), json: body };
    }),
    list: list(apiOwnerRoutes.operations, { inputs: [...FILTERS, LIMIT], columns: OPERATIONS }),
    get: get(apiOwnerRoutes.get, { inputs: [OPERATION] }),
    export: createExport(),
    overrides: list(apiOwnerRoutes.overrides, {
      inputs: [LIMIT],
      columns: {
        operation: 'operation_id',
        name: ({ operation }) =>
          operation ? `${operation.method} ${operation.host}${operation.path}` : 'no longer exists',
        values: ({ set }) => JSON.stringify(set),
        by: 'updated_by',
      },
    }),
    override: createOverride(),
    'clear-override': send(apiOwnerRoutes.clearOverride, {
      inputs: [OPERATION, DRY_RUN],
      json: idAs('cleared', 'operation'),
      text: (_, { name }) => `Operation ${name('operation')} follows the rules again.`,
    }),
  },
};

/** Reads `rules:` of a file; a list alone is accepted, too. */
async function readRulesFile(io: Given['io'], file: string) {
  const [source] = await readSources([file], io.stdin);
  let value: unknown;
  try {
    value = parse(source?.text ?? '');
  } catch (error) {
    throw new CliFailure(EXIT.usage, `${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
  const rules = Array.isArray(value) ? value : (value as { rules?: unknown } | null)?.rules;
  if (!Array.isArray(rules)) throw new CliFailure(EXIT.usage, `${file}: needs a list of rules`);
  return rules as NonNullable<CallInput<typeof apiOwnerRoutes.replaceRules>['body']>['rules'];
}

function createSetRules(): Verb {
  return act(
    { help: 'replace the rules by those of a file', inputs: [RULES_FILE, { flags: '--dry-run', help: DRY_RUN.help }] },
    async ({ io, scope: { connection, project } }, { file, dryRun }: { file: string; dryRun?: boolean }) => {
      const rules = await readRulesFile(io, file);
      const { etag } = await connection.call(apiOwnerRoutes.rules, { query: { project } });
      const { body } = await connection.call(apiOwnerRoutes.replaceRules, {
        query: { project, ...(dryRun && { dry_run: 'true' as const }) },
        body: { rules },
        headers: ifMatch(etag),
      });
      return { json: body, text: `The project has ${body.rules.length} rules of API owners.` };
    },
  );
}

function createPreview(): Verb {
  return act(
    { help: 'what the rules of a file would do, and which of them others hide', inputs: [RULES_FILE] },
    async ({ io, scope: { connection, project } }, { file }: { file: string }) => {
      const body = { rules: await readRulesFile(io, file) };
      const { body: json } = await connection.call(apiOwnerRoutes.preview, { query: { project }, body });
      const head = `${json.operation_count} operations, ${json.unowned} without a team`;
      return { json, text: `${head}\n\n${renderTable(PREVIEW, json.rules)}` };
    },
  );
}

function createOverride(): Verb {
  return act(
    {
      help: 'set values of one operation against the rules; "" and "none" say that there is none',
      inputs: [
        { ...OPERATION, to: undefined },
        { flags: '--team <team>' },
        { flags: '--owner <owner>' },
        { flags: '--criticality <criticality>', choices: [...API_CRITICALITIES, 'none'] },
        { flags: '--data <class>', choices: API_DATA_CLASSES, isList: true },
        { flags: '--tag <tag>', isList: true },
        { flags: '--dry-run', help: DRY_RUN.help },
      ],
    },
    async ({ scope: { connection, project } }, options: OverrideOptions) => {
      const { operation, team, owner, criticality, data, tag, dryRun } = options;
      const { body } = await connection.call(apiOwnerRoutes.override, {
        params: { operation_id: operation },
        query: { project, ...(dryRun && { dry_run: 'true' as const }) },
        body: {
          ...(team !== undefined && { team }),
          ...(owner !== undefined && { owner }),
          ...(criticality !== undefined && { criticality: criticality === 'none' ? null : criticality }),
          ...(data !== undefined && { data_classes: data }),
          ...(tag !== undefined && { tags: tag }),
        },
      });
      return { json: body, text: `Operation ${operation} has values of its own.` };
    },
  );
}

interface OverrideOptions {
  readonly operation: string;
  readonly team?: string;
  readonly owner?: string;
  readonly criticality?: (typeof API_CRITICALITIES)[number] | 'none';
  readonly data?: (typeof API_DATA_CLASSES)[number][];
  readonly tag?: string[];
  readonly dryRun?: boolean;
}

function createExport(): Verb {
  return act(
    {
      help: 'the operations with their teams and owners as CSV',
      route: apiOwnerRoutes.export,
      isRaw: true,
      inputs: [...FILTERS, OUT],
    },
    async ({ io, reach, request }, { out }: { out?: string }) => {
      const query = request.query as CallInput<typeof apiOwnerRoutes.export>['query'];
      const answer = await reach.connection.open(apiOwnerRoutes.export, { query });
      if (out === undefined) await pipeResponse(io, answer, { to: io.stdout });
      else await saveNewFile(io, answer, out);
      return EXIT.ok;
    },
  );
}
