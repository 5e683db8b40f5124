import { type ShieldEvent, shieldEventRoutes } from '@flotilla/contract';
import { sleep } from '@flotilla/kit';
import type { Command } from 'commander';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { print, printable, printList } from '../output.ts';
import { collectPages, PAGE_SIZE } from '../paging.ts';
import type { Scope } from '../records.ts';
import { type EventFilters, type EventQuery, toEventQuery, withEventFilters } from './event-filters.ts';
import { addEventSummaryCommand } from './event-summary.ts';
import { LIMIT_DEFAULT, withLimit } from './option-values.ts';
import type { Runner } from './runner.ts';
import { openScope } from './scope-options.ts';

interface EventOptions extends EventFilters {
  readonly limit?: number;
  readonly follow?: boolean;
}

const FOLLOW_EVERY_MS = 2_000;
/** What is heard of late belongs to an earlier time: so far back is looked again. */
const OVERLAP_MS = 60_000;

export function addEventCommands(program: Command, runner: Runner): void {
  const events = withLimit(withEventFilters(program.command('events')))
    .description('what the filters blocked and detected, newest first; --follow prints what comes in, oldest first')
    .option('-f, --follow', 'go on with what comes in, until Ctrl-C')
    .action(
      runner.action(async (options: EventOptions) => {
        const scope = await openScope(runner.io, options);
        const query = await toEventQuery(scope, options);
        const { limit, json, follow: isFollowed } = options;
        const asked = { query, limit, json };
        return isFollowed ? follow(runner, scope, asked) : list(runner, scope, asked);
      }),
    );
  addEventSummaryCommand(events, runner);
}

interface Asked {
  readonly query: EventQuery;
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
async function* readFrom(scope: Scope, query: EventQuery): AsyncGenerator<ShieldEvent> {
  let cursor: string | undefined;
  do {
    const page = await scope.connection.call(shieldEventRoutes.list, {
      query: { ...query, sort: 'time', limit: PAGE_SIZE, cursor },
    });
    yield* page.body.items;
    cursor = page.body.next_cursor ?? undefined;
  } while (cursor !== undefined);
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
