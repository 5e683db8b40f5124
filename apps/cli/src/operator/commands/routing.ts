import {
  type BgpDiff,
  type BgpHealthRoute,
  type BgpRoute,
  type BgpSession,
  COMMAND_SPECS,
  type CommandResultRecord,
  commandRoutes,
  formatBgpLine,
  readBgpConfig,
  readBgpDiff,
  readBgpRoutes,
  readBgpSessions,
} from '@flotilla/contract';
import { parse, stringify } from 'yaml';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { readSources } from '../manifest/files.ts';
import type { Input } from '../nouns/inputs.ts';
import type { Noun } from '../nouns/noun.ts';
import { act, type Given, type Output, type Verb } from '../nouns/verb.ts';
import { type Columns, printable, renderTable } from '../output.ts';
import { exitCodeOfOutcomes } from './command-outcomes.ts';
import { fleetClients } from './lookups.ts';

type Values = Readonly<Record<string, unknown>>;

const CLIENT: Input = { flags: '<client>', lookup: fleetClients };
const BODY: Input = { flags: '-f, --file <file>', help: 'YAML or JSON; - for standard input' };
const FILE: Input = { ...BODY, isRequired: true };
const REPLACE: Input = { flags: '--replace', help: 'replace a BGP configuration that Flotilla did not make' };
const OPERATIONS = COMMAND_SPECS.filter(({ type }) => type === 'ROUTING').map(({ subType }) => subType);

const SESSIONS: Columns<BgpSession> = {
  neighbour: 'peerIp',
  as: ({ remoteAs }) => remoteAs ?? null,
  state: ({ state, isShutDown }) => (isShutDown ? 'shut down' : state),
  received: 'receivedPrefixes',
  sent: 'sentPrefixes',
  flaps: 'flaps',
  bfd: 'bfd',
  description: 'description',
};

const ROUTES: Columns<BgpRoute> = {
  network: 'network',
  best: ({ isBest }) => (isBest ? 'yes' : null),
  'next hop': ({ nextHops }) => nextHops.join(', '),
  metric: ({ metric }) => metric ?? null,
  preference: ({ localPreference }) => localPreference ?? null,
  'as path': 'asPath',
  origin: 'origin',
};

const HEALTH_ROUTES: Columns<BgpHealthRoute> = {
  network: 'prefix',
  service: 'service',
  state: ({ isAnnounced }) => (isAnnounced ? 'announced' : 'withdrawn'),
};

/** The BGP configuration, sessions and routes of a client. */
export const ROUTING: Noun = {
  help: 'read and change the BGP configuration of a client, its sessions and routes',
  place: 'project',
  verbs: {
    config: act({ help: 'print the BGP configuration, without passwords', inputs: [CLIENT] }, printConfig),
    diff: act(
      { help: 'show what a configuration would change', inputs: [CLIENT, FILE, REPLACE] },
      async (given, values) =>
        printChange(await send(given, 'BGP_DIFF_CONFIG', await toConfig(given, values)), 'Nothing would change.'),
    ),
    apply: act(
      {
        help: 'set the BGP configuration, completely or not at all',
        inputs: [
          CLIENT,
          FILE,
          REPLACE,
          { flags: '--expect <revision>', help: 'refuse if the client has another revision', read: parseRevision },
        ],
      },
      async (given, values) => {
        const expected = values.expect === undefined ? {} : { expected_revision: values.expect };
        return printChange(
          await send(given, 'BGP_SET_CONFIG', { ...(await toConfig(given, values)), ...expected }),
          'Nothing changed.',
        );
      },
    ),
    remove: act({ help: 'remove the BGP configuration that Flotilla made', inputs: [CLIENT] }, async (given) =>
      printChange(await send(given, 'BGP_SET_CONFIG', { config: null }), 'Nothing changed.'),
    ),
    neighbours: act({ help: 'the sessions with their states', inputs: [CLIENT] }, async (given) =>
      printTable(await send(given, 'BGP_LIST_NEIGHBORS', {}), { read: readBgpSessions, columns: SESSIONS }),
    ),
    routes: routesVerb(),
    health: act({ help: 'the networks announced while a service is healthy', inputs: [CLIENT] }, async (given) =>
      printTable(await send(given, 'BGP_GET_CONFIG', {}), {
        read: (answer) => readBgpConfig(answer)?.healthRoutes,
        columns: HEALTH_ROUTES,
      }),
    ),
    clear: act(
      {
        help: 'ask for routes again and send them again, or end sessions',
        inputs: [
          CLIENT,
          { flags: '--neighbour <address>', help: 'only this one' },
          { flags: '--hard', help: 'end the sessions' },
        ],
      },
      async (given, { neighbour = '*', hard }) =>
        printJson(await send(given, 'BGP_CLEAR_ROUTES', { clear: { neighbor: neighbour, soft: hard !== true } })),
    ),
    send: act(
      {
        help: 'run any operation, with its body from a file',
        inputs: [CLIENT, { flags: '<operation>', choices: OPERATIONS }, BODY],
      },
      async (given, { operation, file }) =>
        printJson(
          await send(given, String(operation), file === undefined ? {} : await readDocument(given, String(file))),
        ),
    ),
  },
};

function routesVerb(): Verb {
  const inputs: Input[] = [
    CLIENT,
    { flags: '--neighbour <address>', help: 'the routes that this one sent' },
    { flags: '--advertised', help: 'instead, the routes that this one gets' },
    { flags: '--prefix <network>', help: 'only this network and those within it' },
    { flags: '--family <family>', choices: ['ipv4', 'ipv6'] },
  ];
  return act({ help: 'the table of routes, or those of a neighbour', inputs }, async (given, values) => {
    const { neighbour, advertised, prefix, family } = values;
    if (advertised === true && neighbour === undefined)
      throw new CliFailure(EXIT.usage, '--advertised needs --neighbour');
    const result = await send(given, 'BGP_SHOW_ROUTES', {
      ...(neighbour !== undefined && { peer_ip: neighbour }),
      ...(advertised === true && { direction: 'advertised' }),
      ...(prefix !== undefined && { prefix }),
      ...(family !== undefined && { family }),
    });
    const total = readBgpRoutes(result.result)?.total ?? 0;
    const table = printTable(result, { read: (answer) => readBgpRoutes(answer)?.paths, columns: ROUTES });
    const shown = new Set(readBgpRoutes(result.result)?.paths.map(({ network }) => network)).size;
    return total > shown ? { ...table, note: `${shown} of ${total} networks are shown; name a prefix.` } : table;
  });
}

async function send({ scope, id }: Given, operation: string, command: Values): Promise<CommandResultRecord> {
  const { body } = await scope.connection.call(commandRoutes.dispatch, {
    query: { project: scope.project },
    body: { type: 'ROUTING', sub_type: operation, clients: [{ client_id: id('client') }], command },
  });
  const [result] = body.results;
  if (!result) throw new CliFailure(EXIT.failed, 'Nothing was sent.');
  return result;
}

async function printConfig(given: Given): Promise<Output> {
  const result = await send(given, 'BGP_GET_CONFIG', {});
  const answer = readBgpConfig(result.result);
  if (result.outcome !== 'done' || !answer) return printFailure(result);
  const drift = answer.drift.map(formatBgpLine);
  const notes = [
    `Revision ${answer.revision}.`,
    ...(answer.isInSync ? [] : ['The host differs from it:', ...drift]),
    ...answer.warnings,
  ];
  const text = answer.config ? stringify(answer.config) : undefined;
  return {
    json: result,
    text,
    note: toLines([...(text ? [] : ['BGP is not configured by Flotilla.']), ...notes]),
  };
}

function printChange(result: CommandResultRecord, nothing: string): Output {
  const diff = readBgpDiff(result.result);
  if (result.outcome !== 'done' || !diff) return printFailure(result);
  return { json: result, text: describeDiff(diff) || nothing, note: describeNotes(diff) };
}

function describeDiff({ lines, total }: BgpDiff): string {
  const more = total > lines.length ? [`... and ${total - lines.length} more lines`] : [];
  return toLines([...lines.map(formatBgpLine), ...more]);
}

function describeNotes({ revision, warnings }: BgpDiff): string {
  return toLines([`The client has revision ${revision}.`, ...warnings.map((one) => `Warning: ${one}`)]);
}

/** Nothing that the client sent leaves its line. */
function toLines(lines: readonly string[]): string {
  return lines.map(printable).join('\n');
}

function printTable<Row>(
  result: CommandResultRecord,
  { read, columns }: { readonly read: (answer: unknown) => readonly Row[] | undefined; readonly columns: Columns<Row> },
): Output {
  const rows = read(result.result);
  if (result.outcome !== 'done' || !rows) return printFailure(result);
  if (rows.length === 0) return { json: result, note: 'Nothing found.' };
  return { json: result, text: renderTable(columns, rows) };
}

function printJson(result: CommandResultRecord): Output {
  if (result.outcome !== 'done') return printFailure(result);
  return { json: result, text: JSON.stringify(result.result, null, 2) };
}

function printFailure(result: CommandResultRecord): Output {
  const { outcome, error } = result;
  const exit = outcome === 'done' ? EXIT.failed : exitCodeOfOutcomes([result]);
  const reason = outcome === 'done' ? 'the client answered in an unknown form' : (error?.message ?? 'no answer yet');
  return { json: result, exit, note: printable(`${outcome}: ${reason}`) };
}

async function toConfig(given: Given, { file, replace }: Values): Promise<Values> {
  const config = await readDocument(given, String(file));
  return { config, ...(replace === true && { replace: true }) };
}

async function readDocument({ io }: Given, file: string): Promise<Record<string, unknown>> {
  const [source] = await readSources([file], io.stdin);
  let value: unknown;
  try {
    value = parse(source?.text ?? '', { maxAliasCount: 0 });
  } catch (error) {
    throw new CliFailure(EXIT.usage, `${file}: ${error instanceof Error ? error.message : 'is not YAML'}`);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new CliFailure(EXIT.usage, `${file}: must be one YAML or JSON object`);
}

function parseRevision(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new CliFailure(EXIT.usage, `"${text}" is not a revision`);
}
