import {
  type CommandResultRecord,
  commandRoutes,
  LOG_LEVELS,
  type LogEntry,
  type LogPage,
  logRoutes,
  SERVICE_LOG_TYPES,
  timesOfEntries,
} from '@flotilla/contract';
import { sleep } from '@flotilla/kit';
import { CliFailure, EXIT, type ExitCode } from '../exit-codes.ts';
import type { Input } from '../nouns/inputs.ts';
import type { Noun } from '../nouns/noun.ts';
import { act, type Given, type Output, type Verb } from '../nouns/verb.ts';
import { note, print, printable } from '../output.ts';
import { exitCodeOfOutcomes } from './command-outcomes.ts';
import { fleetClients, services } from './lookups.ts';
import { readEvents } from './read-events.ts';
import { parsePast } from './time-argument.ts';

type Kind = 'SERVICE' | 'CLIENT_LOGS' | 'ROUTING_LOGS';
type Query = Readonly<Record<string, unknown>>;

const RETRY_MS = 2000;
const COUNT_DEFAULT = 100;
/** A stream begins with at most this many lines. */
const FOLLOW_COUNT_MAX = 1000;

const QUERY: readonly Input[] = [
  { flags: '--follow', help: 'wait for new lines until interrupted' },
  { flags: '--since <time>', help: 'a time, or an age such as 15m', read: (text) => parsePast(text, Date.now()) },
  { flags: '--until <time>', help: 'a time, or an age such as 15m', read: (text) => parsePast(text, Date.now()) },
  { flags: '--level <level>', help: 'the least severe level', choices: LOG_LEVELS },
  { flags: '--search <text>', help: 'lines with this text, regardless of case' },
  { flags: '--component <name>', help: 'lines of this part of a program', isList: true },
  { flags: '--count <lines>', help: `the most lines for each client, ${COUNT_DEFAULT} by default`, read: parseCount },
];
const CLIENT: Input = { flags: '<client>', lookup: fleetClients };

export const LOGS: Noun = {
  help: 'read and follow logs of services, clients and routing',
  place: 'project',
  verbs: {
    service: logs('the log of a service: Envoy, its access logs and the filter', 'SERVICE', [
      { flags: '<service>', lookup: services },
      { flags: '--client <name>', help: 'only this client', lookup: fleetClients },
      { flags: '--log-type <type>', help: 'ALL by default', choices: SERVICE_LOG_TYPES },
    ]),
    client: logs('the log of the agent on a client, or the journal of its host', 'CLIENT_LOGS', [
      CLIENT,
      { flags: '--log-type <type>', help: 'AGENT by default', choices: ['AGENT', 'HOST'] },
    ]),
    routing: logs('the log of the routing suite on a client', 'ROUTING_LOGS', [CLIENT]),
  },
};

function logs(help: string, kind: Kind, target: readonly Input[]): Verb {
  return act({ help, inputs: [...target, ...QUERY] }, (given, values) =>
    values.follow === true ? follow(given, kind) : read(given, kind),
  );
}

async function read(given: Given, kind: Kind): Promise<Output> {
  const { scope, values } = given;
  const client = values.client === undefined ? [] : [{ client_id: given.id('client') }];
  const { body: answer } = await scope.connection.call(commandRoutes.dispatch, {
    query: { project: scope.project },
    body: { type: kind, sub_type: subTypeOf(kind), clients: client, command: toQuery(given, kind) },
  });
  const done = answer.results.filter(({ outcome }) => outcome === 'done');
  const entries = done.flatMap(withTimes).sort((a, b) => a.at - b.at);
  const lines = entries.map(({ entry, client: name }) => (done.length > 1 ? `${name}  ` : '') + formatEntry(entry));
  const notes = [
    ...answer.results.flatMap((result) =>
      result.outcome === 'done'
        ? describePage(result)
        : [`${nameOf(result)}: ${result.outcome}: ${result.error?.message ?? 'no answer yet'}`],
    ),
    ...(answer.results.length === 0 ? ['Nothing was sent: the service has no clients.'] : []),
    ...(done.length > 0 && entries.length === 0 ? ['No lines found.'] : []),
  ].map(printable);
  return {
    json: entries.map(({ entry, client: name }) => ({ client: name, ...entry })),
    text: lines.length > 0 ? lines.join('\n') : undefined,
    exit: exitCodeOfOutcomes(answer.results),
    ...(notes.length > 0 && { note: notes.join('\n') }),
  };
}

/** Opens the stream again after the last line whenever it breaks. Ends when the program is interrupted. */
async function follow(given: Given, kind: Kind): Promise<ExitCode> {
  const { io, values } = given;
  if (values.until !== undefined) throw new CliFailure(EXIT.usage, '--follow and --until exclude each other');
  const clientId = await findClient(given, kind);
  let cursor: string | undefined;
  while (!io.signal.aborted) {
    const response = await open(given, { kind, clientId, cursor });
    const ended = response && (await printStream(given, response, (id) => (cursor = id)));
    if (ended === 'done') return EXIT.failed;
    await sleep(ended === 'time' ? 0 : RETRY_MS, io.signal);
  }
  return EXIT.ok;
}

/** Undefined: the controller cannot be reached now. Throws if the stream has never been open, or the caller may not read it. */
async function open(
  { scope, io, ...given }: Given,
  { kind, clientId, cursor }: { kind: Kind; clientId: string; cursor: string | undefined },
): Promise<Response | undefined> {
  const { count = COUNT_DEFAULT, ...query } = toQuery({ scope, io, ...given }, kind);
  try {
    return await scope.connection.open(logRoutes.stream, {
      params: { client_id: clientId },
      query: {
        project: scope.project,
        type: kind,
        ...query,
        count: Math.min(Number(count), FOLLOW_COUNT_MAX),
        ...(cursor !== undefined && { last_event_id: cursor }),
      } as never,
    });
  } catch (error) {
    const isPassing = error instanceof CliFailure && error.exitCode === EXIT.unreachable;
    if (cursor === undefined || !isPassing || io.signal.aborted) throw error;
    return undefined;
  }
}

/** Returns the reason for the end; undefined for a broken connection. */
async function printStream(
  { io, values }: Given,
  { body }: Response,
  keep: (cursor: string) => void,
): Promise<string | undefined> {
  try {
    for await (const { event, id, data } of readEvents(body ?? new ReadableStream())) {
      if (id !== undefined) keep(id);
      const content = JSON.parse(data) as { reason?: string; message?: string };
      if (event === 'end') return content.reason;
      if (event === 'problem') note(io, printable(content.message ?? ''));
      if (event !== 'log') continue;
      const page = content as LogPage;
      if (page.gap) note(io, 'Lines are missing here: they were rotated away.');
      for (const one of page.notes) note(io, printable(one));
      for (const entry of page.logs) print(io, values.json === true ? JSON.stringify(entry) : formatEntry(entry));
    }
  } catch (error) {
    if (!io.signal.aborted) note(io, `The connection broke (${printable((error as Error).message)}); trying again.`);
  }
  return undefined;
}

async function findClient(given: Given, kind: Kind): Promise<string> {
  if (kind !== 'SERVICE' || given.values.client !== undefined) return given.id('client');
  const { scope } = given;
  // A query that every role may send names the clients of the service.
  const { body } = await scope.connection.call(commandRoutes.dispatch, {
    query: { project: scope.project },
    body: { type: 'SERVICE', sub_type: 'SUB_STATUS', clients: [], command: { service_id: given.id('service') } },
  });
  const [only, another] = body.results;
  if (!only) throw new CliFailure(EXIT.failed, 'The service has no clients.');
  if (another) {
    const names = body.results.map(nameOf).map(printable).join(', ');
    throw new CliFailure(EXIT.usage, `--follow needs one client: give --client with one of ${names}`);
  }
  return only.client_id;
}

function toQuery({ values, id }: Given, kind: Kind): Query {
  const { since, until, level, search, component, count, logType } = values;
  const query = { since, until, level, search, components: component, count, log_type: logType };
  return {
    ...(kind === 'SERVICE' && { service_id: id('service') }),
    ...Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)),
  };
}

/** The further lines of a message are indented, so that none looks like another entry. */
function formatEntry({ timestamp, level, source, component, message }: LogEntry): string {
  const [first = '', ...more] = message.split('\n').map(printable);
  const head = [timestamp ?? '-'.padEnd(24), level.padEnd(8), printable(component || source), first].join(' ');
  return [head, ...more.map((line) => `    ${line}`)].join('\n');
}

function describePage(result: CommandResultRecord): string[] {
  const { notes, complete, gap } = pageOf(result);
  return [
    ...notes,
    ...(complete ? [] : ['The log is large, and only a part of it was searched. Narrow the range with --until.']),
    ...(gap ? ['Lines are missing: they were rotated away.'] : []),
  ].map((text) => `${nameOf(result)}: ${text}`);
}

function withTimes(result: CommandResultRecord) {
  const { logs } = pageOf(result);
  const times = timesOfEntries(logs);
  return logs.map((entry, index) => ({ at: times[index] ?? 0, entry, client: nameOf(result) }));
}

function pageOf({ result }: CommandResultRecord): LogPage {
  return result as LogPage;
}

function nameOf({ client_name: name, client_id: id }: CommandResultRecord): string {
  return name ?? id;
}

function subTypeOf(kind: Kind): string {
  return kind === 'SERVICE' ? 'SUB_LOGS' : '';
}

function parseCount(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > 10_000)
    throw new CliFailure(EXIT.usage, '--count must be a number from 1 to 10000');
  return count;
}
