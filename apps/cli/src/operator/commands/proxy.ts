import {
  ADMIN_READ_PATHS,
  ADMIN_WRITE_PATHS,
  type CallOutput,
  type CommandResultRecord,
  commandRoutes,
  ENVOY_LOG_LEVELS,
  readEnvoyClusters,
  readEnvoyLevels,
  readEnvoyListeners,
  readEnvoyStats,
} from '@flotilla/contract';
import { CliFailure, EXIT } from '../exit-codes.ts';
import type { Input } from '../nouns/inputs.ts';
import type { Noun } from '../nouns/noun.ts';
import { act, type Given, type Output, type Verb } from '../nouns/verb.ts';
import { type Cell, type Columns, printable, renderTable } from '../output.ts';
import { exitCodeOfOutcomes } from './command-outcomes.ts';
import { fleetClients, services } from './lookups.ts';

type Queries = Readonly<Record<string, string>>;
type Values = Readonly<Record<string, unknown>>;

const TARGET: readonly Input[] = [
  { flags: '<service>', lookup: services },
  { flags: '--client <name>', help: 'only this client; all clients of the service by default', lookup: fleetClients },
];
const PARAMETERS: Input = {
  flags: '-p, --parameter <name=value>',
  help: 'a query parameter of the path',
  isList: true,
  read: parseParameter,
};

/** Envoy's admin interface, through the agents. */
export const PROXY: Noun = {
  help: "ask Envoy's admin interface, or change a running Envoy",
  place: 'project',
  verbs: {
    clusters: table('the endpoints of each cluster with their health', '/clusters', {
      rows: toEndpointRows,
    }),
    listeners: table('the listeners and their addresses', '/listeners', {
      rows: (body) =>
        readEnvoyListeners(body)?.map(({ name, addresses }) => ({ listener: name, addresses: addresses.join(', ') })),
    }),
    stats: table('counters and gauges', '/stats', {
      inputs: [
        { flags: '--filter <regex>', help: 'only names that match' },
        { flags: '--all', help: 'also those that were never used' },
      ],
      queries: ({ filter, all }) => ({
        ...(typeof filter === 'string' && { filter }),
        ...(all !== true && { usedonly: 'true' }),
      }),
      rows: (body) => readEnvoyStats(body)?.map(({ name, value }) => ({ name, value })),
    }),
    levels: table('the log levels', '/envoy', {
      queries: () => ({ parts: 'logging' }),
      rows: (body) => toLevelRows((body as { logging?: unknown } | undefined)?.logging),
    }),
    'set-level': table('set the log level of all loggers, or of some', '/logging', {
      inputs: [
        { flags: '<level>', choices: ENVOY_LOG_LEVELS },
        { flags: '--logger <name>', help: 'only this logger', isList: true },
      ],
      queries: ({ level, logger }): Queries =>
        Array.isArray(logger)
          ? { paths: logger.map((name) => `${name}:${level}`).join(',') }
          : { level: String(level) },
      rows: toLevelRows,
    }),
    drain: change(
      'let the health checks of Envoy fail, so that load balancers send it no more requests',
      '/healthcheck/fail',
    ),
    undrain: change('end a drain', '/healthcheck/ok'),
    'reset-counters': change('set all counters to zero', '/reset_counters'),
    get: raw('print what Envoy answers, as JSON', ADMIN_READ_PATHS),
    post: raw('change the running Envoy with any path that is allowed', ADMIN_WRITE_PATHS),
  },
};

/** Its members are the columns, in this order. */
type Row = Readonly<Record<string, Cell>>;

interface Table {
  readonly inputs?: readonly Input[];
  readonly queries?: (values: Values) => Queries;
  readonly rows: (body: unknown) => readonly Row[] | undefined;
}

/** Prints one table, with the client in front if there are several. */
function table(help: string, path: string, { inputs = [], queries, rows }: Table): Verb {
  return act({ help, inputs: [...TARGET.slice(0, 1), ...inputs, ...TARGET.slice(1)] }, async (given, values) => {
    const answer = await call(given, path, queries?.(values) ?? {});
    const found = answer.results.flatMap((result): readonly Row[] => {
      if (result.outcome !== 'done') return [];
      const own = rows(bodyOf(result));
      const client = nameOf(result);
      if (!own) throw new CliFailure(EXIT.failed, `${client} answered in an unknown form. Use flotilla proxy get.`);
      return answer.results.length > 1 ? own.map((row) => ({ client, ...row })) : own;
    });
    const titles = Object.keys(found[0] ?? {});
    const columns: Columns<Row> = Object.fromEntries(titles.map((title) => [title, title]));
    return conclude(answer, found.length === 0 ? undefined : renderTable(columns, found));
  });
}

function change(help: string, path: string): Verb {
  return act({ help, inputs: TARGET }, async (given) => {
    const answer = await call(given, path, {});
    const done = answer.results.filter(({ outcome }) => outcome === 'done');
    return conclude(answer, done.map((result) => `${nameOf(result)} done`).join('\n') || undefined);
  });
}

function raw(help: string, paths: readonly string[]): Verb {
  const inputs = [...TARGET.slice(0, 1), { flags: '<path>', choices: paths }, ...TARGET.slice(1), PARAMETERS];
  return act({ help, inputs }, async (given, { path, parameter }) => {
    const answer = await call(given, String(path), Object.fromEntries((parameter ?? []) as [string, string][]));
    const bodies = answer.results.flatMap((result) => (result.outcome === 'done' ? [bodyOf(result)] : []));
    return conclude(answer, bodies.map((body) => JSON.stringify(body, null, 2)).join('\n') || undefined);
  });
}

type Answer = CallOutput<typeof commandRoutes.dispatch>;

async function call({ scope, id, values }: Given, path: string, queries: Queries): Promise<Answer> {
  const clients = values.client === undefined ? [] : [{ client_id: id('client') }];
  const command = { service_id: id('service'), path, queries };
  const { body } = await scope.connection.call(commandRoutes.dispatch, {
    query: { project: scope.project },
    body: { type: 'PROXY', clients, command },
  });
  return body;
}

/** Clients that failed are reported on standard error, and the answers of the others are printed. */
function conclude(answer: Answer, text: string | undefined): Output {
  const failures = answer.results.flatMap((result) =>
    result.outcome === 'done'
      ? []
      : [`${nameOf(result)}: ${result.outcome}: ${result.error?.message ?? 'no answer yet'}`],
  );
  const none = answer.results.length === 0 ? ['Nothing was sent: the service has no clients.'] : [];
  const empty = text === undefined && failures.length + none.length === 0 ? ['Nothing found.'] : [];
  const notes = [...failures, ...none, ...empty].map(printable);
  return {
    json: answer,
    text,
    exit: exitCodeOfOutcomes(answer.results),
    ...(notes.length > 0 && { note: notes.join('\n') }),
  };
}

function bodyOf({ result }: CommandResultRecord): unknown {
  return (result as { body?: unknown } | undefined)?.body;
}

function nameOf({ client_name: name, client_id: id }: CommandResultRecord): string {
  return name ?? id;
}

/** One row for each endpoint, and one for a cluster without any. */
function toEndpointRows(body: unknown) {
  return readEnvoyClusters(body)?.flatMap(({ name, endpoints }): Row[] => {
    const none = { cluster: name, endpoint: null, health: 'no endpoints', weight: null, active: null };
    const all = endpoints.map(({ address, health, weight, activeRequests: active }) => ({
      cluster: name,
      endpoint: address,
      health,
      weight,
      active,
    }));
    return all.length === 0 ? [none] : all;
  });
}

function toLevelRows(body: unknown) {
  return readEnvoyLevels(body)?.map(([logger, level]) => ({ logger, level }));
}

function parseParameter(text: string): readonly [string, string] {
  const [, name, value] = /^([^=]+)=(.*)$/su.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new CliFailure(EXIT.usage, `"${text}" is not name=value`);
  return [name, value];
}
