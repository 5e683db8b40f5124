import {
  SHIELD_SUMMARY_TOP_MAX,
  type ShieldEventGroup,
  type ShieldEventSummary,
  shieldEventRoutes,
} from '@flotilla/contract';
import type { Command } from 'commander';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { formatAge, print, printJson, renderTable } from '../output.ts';
import { type EventFilters, toEventQuery, withEventFilters } from './event-filters.ts';
import type { Runner } from './runner.ts';
import { openScope } from './scope-options.ts';

interface SummaryOptions extends EventFilters {
  readonly top?: number;
}

/** What is counted, by the word for it. */
const GROUPS = [
  ['engine', 'by_engine'],
  ['reason', 'by_reason'],
  ['policy', 'by_policy'],
  ['route', 'by_route'],
  ['service', 'by_service'],
  ['client', 'by_client'],
  ['host', 'by_host'],
  ['path', 'by_path'],
  ['source', 'by_source_ip'],
  ['subject', 'by_subject'],
] as const satisfies readonly (readonly [string, keyof ShieldEventSummary])[];

export function addEventSummaryCommand(events: Command, runner: Runner): void {
  const { io } = runner;
  withEventFilters(events.command('summary'))
    .description(
      'the same, counted by engine, reason, policy, host, source and so on; of the last 24 hours unless told',
    )
    .option('--top <number>', 'so many of each, the largest first; 10 unless told', parseTop)
    .action(
      runner.action(async (options: SummaryOptions) => {
        const scope = await openScope(io, options);
        const query = { ...(await toEventQuery(scope, options)), top: options.top };
        const { body } = await scope.connection.call(shieldEventRoutes.summary, { query });
        if (options.json) printJson(io, body);
        else print(io, describe(body, Date.now()));
        return EXIT.ok;
      }),
    );
}

function describe(summary: ShieldEventSummary, now: number): string {
  const { from, to, totals, dropped } = summary;
  const head = [
    `${from} to ${to}`,
    `${totals.events} findings: ${totals.blocked} blocked, ${totals.detected} detected, ${totals.errors} errors of engines`,
    ...(dropped > 0
      ? [`${dropped} more are in no list: filters tell a bounded number a second. See: flotilla counters`]
      : []),
  ];
  const tables = GROUPS.flatMap(([title, key]) => {
    const { groups, others } = summary[key];
    if (groups.length === 0) return [];
    const rest = others > 0 ? `\n${others} of others` : '';
    return [`\n${renderTable(createColumns(title, now), groups)}${rest}`];
  });
  return [...head, ...tables].join('\n');
}

function createColumns(title: string, now: number) {
  return [
    { title: 'findings', value: (row: ShieldEventGroup) => row.events },
    { title: 'blocked', value: (row: ShieldEventGroup) => row.blocked },
    { title: 'detected', value: (row: ShieldEventGroup) => row.detected },
    { title: 'last', value: (row: ShieldEventGroup) => formatAge(row.last_at, now) },
    { title, value: (row: ShieldEventGroup) => row.label },
  ];
}

function parseTop(text: string): number {
  const top = Number(text);
  if (!Number.isInteger(top) || top < 1 || top > SHIELD_SUMMARY_TOP_MAX)
    throw new CliFailure(EXIT.usage, `"${text}" is not a number from 1 to ${SHIELD_SUMMARY_TOP_MAX}`);
  return top;
}
