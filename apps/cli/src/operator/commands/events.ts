import { type ShieldEvent, shieldEventRoutes } from '@flotilla/contract';
import { sleep } from '@flotilla/kit';
import type { Command } from 'commander';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { type Columns, print, printList, renderLine } from '../output.ts';
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
/** Each query starts this much earlier, because late events have an earlier time. */
const OVERLAP_MS = 60_000;

export function addEventCommands(program: Command, runner: Runner): void {
  const events = withLimit(withEventFilters(program.command('events')))
    .description('what the filters blocked and detected, newest first; --follow prints new events, oldest first')
    .option('-f, --follow', 'print new events until Ctrl-C')
    .action(
      runner.action(async (options: EventOptions) => {
        const scope = await openScope(runner.io, options);
        const query = await toEventQuery(scope, options);
        const { limit, json, follow: isFollowed } = options;
        const request = { query, limit, json };
        return isFollowed ? follow(runner, scope, request) : list(runner, scope, request);
      }),
    );
  addEventSummaryCommand(events, runner);
}

interface EventRequest {
  readonly query: EventQuery;
  readonly limit: number | undefined;
  readonly json: boolean | undefined;
}

async function list(
  { io }: Runner,
  scope: Scope,
  { query, limit = LIMIT_DEFAULT, json }: EventRequest,
): Promise<ExitCode> {
  const items = await collectPages(
    async (cursor, size) =>
      (await scope.connection.call(shieldEventRoutes.list, { query: { ...query, cursor, limit: size } })).body,
    limit,
  );
  printList(io, { rows: items, columns: COLUMNS }, { json });
  return EXIT.ok;
}

/** Runs until Ctrl-C. */
async function follow({ io }: Runner, scope: Scope, { query, json }: EventRequest): Promise<ExitCode> {
  const seen = new Map<string, number>();
  let from = query.from ?? new Date().toISOString();
  while (!io.signal.aborted) {
    try {
      for await (const event of readFrom(scope, { ...query, from })) {
        if (seen.has(event.id)) continue;
        const time = Date.parse(event.time);
        seen.set(event.id, time);
        print(io, json ? JSON.stringify(event) : renderLine(COLUMNS, event));
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

/** Yields events, oldest first. */
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

const COLUMNS: Columns<ShieldEvent> = {
  time: 'time',
  verdict: 'verdict',
  reason: 'reason',
  policy: 'policy',
  method: 'method',
  host: 'host',
  path: 'path',
  source: 'source_ip',
  subject: 'subject',
  service: 'service_name',
  'request id': 'request_id',
};
