import {
  type CallInput,
  type InventoryChange,
  type InventoryGroup,
  type InventoryListener,
  type InventoryOperationSummary,
  type InventorySnapshot,
  inventoryActionRoutes,
  inventoryRoutes,
  inventorySnapshotRoutes,
} from '@flotilla/contract';
import { EXIT } from '../../exit-codes.ts';
import { pipeResponse, saveNewFile } from '../../new-file.ts';
import type { Noun } from '../../nouns/noun.ts';
import { readRows } from '../../nouns/rows.ts';
import { FILES } from '../../nouns/sources.ts';
import { act, type Given, get, idAs, list, send, toTable } from '../../nouns/verb.ts';
import { age, type Columns, renderTable } from '../../output.ts';
import { DRY_RUN } from '../inputs.ts';
import { LIMIT_DEFAULT } from '../option-values.ts';
import { parsePast } from '../time-argument.ts';
import { toCsv } from './csv.ts';
import { DRAFT_COMMANDS } from './drafts.ts';
import { CATALOGUE_FILTERS, FILTERS } from './filters.ts';
import { PATH_RULE_COMMANDS, REWRITE_COMMANDS } from './path-rules.ts';

const OPERATION = { flags: '<operation>', help: 'id', to: 'operation_id' } as const;
const OUT = { flags: '--out <file>', help: 'a new file instead of the terminal', source: FILES } as const;

const COLUMNS: Columns<InventoryOperationSummary> = {
  id: 'id',
  method: 'method',
  host: 'host',
  path: ({ normalized_path, operation }) => `${normalized_path}${operation && ` ${operation}`}`,
  calls: 'seen_count',
  errors: ({ error_rate }) => `${(error_rate * 100).toFixed(1)}%`,
  'max latency': ({ latency_max_ms: ms }) => (ms >= 1000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms)} ms`),
  threat: (row) => showScore(row.max_risk_score, row.active_risk_score),
  exposure: (row) => showScore(row.max_posture_score, row.active_posture_score),
  auth: 'auth_posture',
  seen: age('last_seen'),
};

/** The worst score, and the current one if it is lower. */
function showScore(worst: number, active: number): string {
  return active === worst ? String(worst) : `${worst} (now ${active})`;
}

const GROUPS: Columns<InventoryGroup> = {
  host: 'host',
  path: 'normalized_path',
  methods: ({ methods }) => methods.join(' '),
  operations: 'operation_count',
  calls: 'total_seen',
  threat: (row) => showScore(row.max_risk_score, row.active_risk_score),
  exposure: (row) => showScore(row.max_posture_score, row.active_posture_score),
  seen: age('last_seen'),
};

const LISTENERS: Columns<InventoryListener> = {
  listener: 'listener',
  operations: 'operation_count',
  confirmed: 'confirmed_count',
  calls: 'total_seen',
  hosts: ({ hosts, hosts_omitted: more }) => `${hosts.join(' ')}${more > 0 ? ` and ${more} more` : ''}`,
  threat: 'max_risk_score',
  exposure: 'max_posture_score',
  seen: age('last_seen'),
};

const SNAPSHOTS: Columns<InventorySnapshot> = {
  id: 'id',
  taken: 'at',
  operations: 'operation_count',
  kind: 'kind',
  by: 'taken_by',
};

const CHANGES: Columns<InventoryChange> = {
  change: 'type',
  method: 'method',
  host: 'host',
  path: ({ normalized_path, operation }) => `${normalized_path}${operation && ` ${operation}`}`,
  detail: ({ detail }) => detail.join(' '),
  seen: age('last_seen'),
  operation: 'operation_id',
};

const sayChanged = (verb: string) => (body: { changed: number; unknown: readonly string[] }) =>
  `${body.changed} operations ${verb}${body.unknown.length > 0 ? `, ${body.unknown.length} unknown` : ''}.`;

const SNAPSHOT_COMMANDS: Noun = {
  help: 'snapshots of the confirmed operations, to compare with',
  place: 'project',
  verbs: {
    list: list(inventorySnapshotRoutes.list, { columns: SNAPSHOTS }),
    get: get(inventorySnapshotRoutes.get, { inputs: [{ flags: '<snapshot>', help: 'id', to: 'snapshot_id' }] }),
    take: send(inventorySnapshotRoutes.take, {
      inputs: [DRY_RUN],
      text: ({ id, operation_count: count }) => `Snapshot ${id} of ${count} operations taken.`,
    }),
  },
};

export const INVENTORY: Noun = {
  help: 'the operations that the proxies serve, as their traffic shows them',
  place: 'project',
  verbs: {
    list: list(inventoryRoutes.list, { inputs: FILTERS, columns: COLUMNS }),
    'attack-surface': list(inventoryRoutes.attackSurface, { inputs: FILTERS, columns: COLUMNS }),
    get: get(inventoryRoutes.get, { inputs: [OPERATION] }),
    groups: list(inventoryRoutes.groups, { inputs: FILTERS, columns: GROUPS }),
    listeners: list(inventoryRoutes.listeners, { inputs: FILTERS, columns: LISTENERS }),
    discoveries: list(inventoryRoutes.discoveries, {
      inputs: [...FILTERS, { flags: '--hours <number>', help: '24 by default', to: 'window_hours' }],
      columns: { ...COLUMNS, 'first seen': 'first_seen' },
    }),
    zombies: list(inventoryRoutes.zombies, {
      inputs: [
        ...FILTERS,
        { flags: '--days <number>', help: 'without traffic for so long; 30 by default', to: 'inactive_days' },
        { flags: '--calls <number>', help: 'called at least so often; 1000 by default', to: 'min_seen_count' },
      ],
      columns: COLUMNS,
    }),
    pii: list(inventoryRoutes.pii, {
      inputs: FILTERS,
      columns: {
        ...COLUMNS,
        categories: ({ pii_categories: found }) => found.map(({ category }) => category).join(' '),
      },
    }),
    'auth-coverage': list(inventoryRoutes.authCoverage, {
      inputs: [
        ...FILTERS,
        { flags: '--mode <mode>', to: 'mode' },
        { flags: '--include-read', help: 'also methods that only read', to: 'include_read', value: 'true' },
      ],
      columns: COLUMNS,
    }),
    risk: createRiskCommand(),
    flags: createFlagsCommand(),
    export: createExportCommand(),
    openapi: createOpenapiCommand(),
    changes: list(inventorySnapshotRoutes.changes, {
      inputs: [
        { flags: '--since <time>', help: 'such as 2d, or a time', to: 'since', read: readPast },
        { flags: '--snapshot <id>', help: 'compare with this one', to: 'snapshot_id' },
        { flags: '--type <type>', to: 'type' },
      ],
      columns: CHANGES,
    }),
    snapshots: SNAPSHOT_COMMANDS,
    ...DRAFT_COMMANDS,
    'path-rules': PATH_RULE_COMMANDS,
    rewrites: REWRITE_COMMANDS,
    ...createChangeCommands(),
  },
};

function readPast(text: string): string {
  return parsePast(text, Date.now());
}

function createRiskCommand() {
  return get(inventoryRoutes.riskSummary, {
    inputs: CATALOGUE_FILTERS,
    text: ({ total_operations: total, flagged_operations: flagged, active_flagged_operations: active, by_flag }) =>
      [
        `${total} operations, ${flagged} with findings, ${active} with active ones`,
        '',
        renderTable(
          { flag: 'flag', severity: 'severity', axis: 'axis', operations: 'operations', active: 'active_operations' },
          by_flag.filter(({ operations }) => operations > 0),
        ),
      ].join('\n'),
  });
}

function createFlagsCommand() {
  return act(
    { help: 'the risk flags with what they mean and how to fix them', route: inventoryRoutes.riskFlags },
    async ({ scope: { connection, project } }) => {
      const { body } = await connection.call(inventoryRoutes.riskFlags, { query: { project } });
      const columns = {
        flag: ({ flag }: (typeof body.items)[number]) => flag,
        severity: ({ severity }: (typeof body.items)[number]) => severity,
        axis: ({ axis }: (typeof body.items)[number]) => axis,
        owasp: ({ owasp }: (typeof body.items)[number]) => owasp,
        title: ({ title }: (typeof body.items)[number]) => title,
      };
      return { ...toTable(body.items, columns), json: body };
    },
  );
}

function createExportCommand() {
  return act(
    { help: 'the operations as CSV', route: inventoryRoutes.list, isRaw: true, inputs: [...FILTERS, OUT] },
    async ({ io, reach, request, values }, { out }: { out?: string }) => {
      const limit = (values.limit as number | undefined) ?? LIMIT_DEFAULT;
      const query = request.query as CallInput<typeof inventoryRoutes.list>['query'];
      const rows = await readRows(reach, inventoryRoutes.list, { query, limit });
      const answer = new Response(toCsv(rows));
      if (out === undefined) await pipeResponse(io, answer, { to: io.stdout });
      else await saveNewFile(io, answer, out);
      return EXIT.ok;
    },
  );
}

function createOpenapiCommand() {
  return act(
    {
      help: 'the confirmed operations as an OpenAPI 3.0.3 document',
      route: inventoryRoutes.openapi,
      isRaw: true,
      inputs: [
        { flags: '--format <format>', help: 'yaml by default', to: 'format' },
        { flags: '--host <host>', help: 'of this host only', to: 'host' },
        { flags: '--path <prefix>', help: 'start of the path', to: 'normalized_path' },
        { flags: '--listener <prefix>', help: 'start of the name of a listener', to: 'listener_name' },
        { flags: '--min-seen <number>', help: 'seen at least so often', to: 'min_seen' },
        OUT,
      ],
    },
    async ({ io, reach, request }: Given, { out }: { out?: string }) => {
      const query = request.query as CallInput<typeof inventoryRoutes.openapi>['query'];
      const answer = await reach.connection.open(inventoryRoutes.openapi, { query });
      if (out === undefined) await pipeResponse(io, answer, { to: io.stdout });
      else await saveNewFile(io, answer, out);
      return EXIT.ok;
    },
  );
}

function createChangeCommands() {
  return {
    reset: send(inventoryActionRoutes.reset, {
      inputs: [OPERATION, DRY_RUN],
      text: ({ method, host, normalized_path: path }) => `${method} ${host}${path} begins again.`,
    }),
    delete: send(inventoryActionRoutes.delete, {
      inputs: [OPERATION, DRY_RUN],
      json: idAs('deleted', 'operation'),
      text: (_, { name }) => `Operation ${name('operation')} deleted. It returns if its traffic continues.`,
    }),
    'reset-all': act(
      { help: 'reset every operation of the project', route: inventoryActionRoutes.resetMany, inputs: [DRY_RUN] },
      async ({ scope: { connection, project }, values }) => {
        const query = { project, ...(values.dryRun !== undefined && { dry_run: 'true' as const }) };
        const request = { query, body: { operations: 'all' as const } };
        const { body } = await connection.call(inventoryActionRoutes.resetMany, request);
        return { json: body, text: sayChanged('reset')(body) };
      },
    ),
    'reset-scores': send(inventoryActionRoutes.rebaselineScores, {
      inputs: [DRY_RUN],
      text: ({ modified_count: modified, matched_count: matched }) =>
        `The scores of ${modified} of ${matched} operations begin again.`,
    }),
    cleanup: send(inventoryActionRoutes.cleanupStale, {
      inputs: [{ flags: '--days <number>', help: 'without traffic for so long; 90 by default', to: 'days' }, DRY_RUN],
      text: ({ deleted_count: deleted, cutoff }) => `${deleted} operations without traffic since ${cutoff} deleted.`,
    }),
  };
}
