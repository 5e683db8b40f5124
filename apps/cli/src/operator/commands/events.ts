import { type CallInput, type ShieldEvent, shieldEventRoutes } from '@flotilla/contract';
import { sleep } from '@flotilla/kit';
import type { Command } from 'commander';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { print, printable, printList } from '../output.ts';
import { collectPages, PAGE_SIZE } from '../paging.ts';
import { requireClientId, requireServiceId, type Scope } from '../records.ts';
import { parseMoment } from './moment.ts';
import { collect, LIMIT_DEFAULT, withLimit } from './option-values.ts';
import type { Runner } from './runner.ts';
import { type CommonOptions, openScope, withJson, withProject } from './scope-options.ts';

interface EventOptions extends CommonOptions {
  readonly verdict?: string[];
  readonly engine?: string[];
  readonly reason?: string[];
  readonly severity?: string[];
  readonly policy?: string[];
  readonly service?: string;
  readonly client?: string;
  readonly method?: string[];
  readonly host?: string;
  readonly path?: string;
  readonly subject?: string;
  readonly source?: string;
  readonly requestId?: string;
  readonly since?: string;
  readonly until?: string;
  readonly query?: string;
  readonly limit?: number;
  readonly follow?: boolean;
}

type Query = NonNullable<CallInput<typeof shieldEventRoutes.list>['query']>;

const FOLLOW_EVERY_MS = 2_000;
/** What is heard of late belongs to an earlier time: so far back is looked again. */
const OVERLAP_MS = 60_000;

export function addEventCommands(program: Command, runner: Runner): void {
  withLimit(withJson(withProject(program.command('events'))))
    .description('what the filters blocked and detected, newest first; --follow prints what comes in, oldest first')
    .option('--verdict <verdict>', 'blocked, detected or error; may be repeated', collect)
    .option('--engine <name>', 'may be repeated', collect)
    .option('--reason <code>', 'such as apikey.missing; may be repeated', collect)
    .option('--severity <severity>', 'may be repeated', collect)
    .option('--policy <name>', 'may be repeated', collect)
    .option('--service <name>', 'by name or id')
    .option('--client <name>', 'by name or id')
    .option('--method <method>', 'may be repeated', collect)
    .option('--host <host>')
    .option('--path <prefix>', 'begin of the path')
    .option('--subject <name>', 'the proven identity')
    .option('--source <address>', 'an address or a network, such as 203.0.113.0/24')
    .option('--request-id <id>')
    .option('--since <time>', 'such as 15m, 2h, 3d, or a time')
    .option('--until <time>')
    .option('-q, --query <text>', 'within host, path, subject, reason, policy, detail and request id')
    .option('-f, --follow', 'go on with what comes in, until Ctrl-C')
    .action(
      runner.action(async (options: EventOptions) => {
        const scope = await openScope(runner.io, options);
        const query = await toQuery(scope, options);
        const { limit, json, follow: isFollowed } = options;
        const asked = { query, limit, json };
        return isFollowed ? follow(runner, scope, asked) : list(runner, scope, asked);
      }),
    );
}

interface Asked {
  readonly query: Query;
  readonly limit: number | undefined;
  readonly json: boolean | undefined;
}

async function list({ io }: Runner, scope: Scope, { query, limit = LIMIT_DEFAULT, json }: Asked): Promise<ExitCode> {
  const items = await collectPages(
    async (cursor, size) =>
      (await scope.connection.call(shieldEventRoutes.list, { query: { ...query, cursor, limit: size } })).body,
    limit,
  );
  printList(io, { rows: items, columns: COLUMNS }, { json });
  return EXIT.ok;
}

/** Until the terminal says that it is enough. */
async function follow({ io }: Runner, scope: Scope, { query, json }: Asked): Promise<ExitCode> {
  const seen = new Map<string, number>();
  let from = query.from ?? new Date().toISOString();
  while (!io.signal.aborted) {
    try {
      for await (const event of readFrom(scope, { ...query, from })) {
        if (seen.has(event.id)) continue;
        const time = Date.parse(event.time);
        seen.set(event.id, time);
        print(io, json ? JSON.stringify(event) : toLine(event));
        from = new Date(Math.max(Date.parse(from), time - OVERLAP_MS)).toISOString();
      }
      for (const [id, time] of seen) if (time < Date.parse(from)) seen.delete(id);
      await sleep(FOLLOW_EVERY_MS, io.signal);
    } catch (error) {
      if (!io.signal.aborted) throw error;
    }
  }
  return EXIT.ok;
}

/** Oldest first. */
async function* readFrom(scope: Scope, query: Query): AsyncGenerator<ShieldEvent> {
  let cursor: string | undefined;
  do {
    const page = await scope.connection.call(shieldEventRoutes.list, {
      query: { ...query, sort: 'time', limit: PAGE_SIZE, cursor },
    });
    yield* page.body.items;
    cursor = page.body.next_cursor ?? undefined;
  } while (cursor !== undefined);
}

async function toQuery(scope: Scope, options: EventOptions): Promise<Query> {
  const now = Date.now();
  const query = {
    project: scope.project,
    verdict: options.verdict,
    engine: options.engine,
    reason: options.reason,
    severity: options.severity,
    policy: options.policy,
    method: options.method,
    host: options.host,
    path_prefix: options.path,
    subject: options.subject,
    source_ip: options.source,
    request_id: options.requestId,
    q: options.query,
    ...(options.service && { service_id: [await requireServiceId(scope, options.service)] }),
    ...(options.client && { client_id: [await requireClientId(scope, options.client)] }),
    ...(options.since && { from: parseMoment(options.since, now) }),
    ...(options.until && { to: parseMoment(options.until, now) }),
  };
  // Words that the API does not know are refused by it, with the ones that it does.
  return query as Query;
}

const COLUMNS = [
  { title: 'time', value: (row: ShieldEvent) => row.time },
  { title: 'verdict', value: (row: ShieldEvent) => row.verdict },
  { title: 'reason', value: (row: ShieldEvent) => row.reason },
  { title: 'policy', value: (row: ShieldEvent) => row.policy },
  { title: 'method', value: (row: ShieldEvent) => row.method },
  { title: 'host', value: (row: ShieldEvent) => row.host },
  { title: 'path', value: (row: ShieldEvent) => row.path },
  { title: 'source', value: (row: ShieldEvent) => row.source_ip },
  { title: 'subject', value: (row: ShieldEvent) => row.subject },
  { title: 'service', value: (row: ShieldEvent) => row.service_name },
  { title: 'request id', value: (row: ShieldEvent) => row.request_id },
];

function toLine(event: ShieldEvent): string {
  return printable(COLUMNS.map(({ value }) => value(event) || '-').join('  '));
}
