import {
  SHIELD_SUMMARY_TOP_MAX,
  type ShieldEventGroup,
  type ShieldEventSummary,
  shieldEventRoutes,
} from '@flotilla/contract';
import type { Command } from 'commander';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { age, type Columns, print, printJson, renderTable } from '../output.ts';
import { type EventFilters, toEventQuery, withEventFilters } from './event-filters.ts';
import type { Runner } from './runner.ts';
import { openScope } from './scope-options.ts';

interface SummaryOptions extends EventFilters {
  readonly top?: number;
}

/** The title of each table and the field with its rows. */
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
    .description('counts by engine, reason, policy, host, source and so on; of the last 24 hours by default')
    .option('--top <number>', 'maximum number of rows in each table; 10 by default', parseTop)
    .action(
      runner.action(async (options: SummaryOptions) => {
        const scope = await openScope(io, options);
        const query = { ...(await toEventQuery(scope, options)), top: options.top };
        const { body } = await scope.connection.call(shieldEventRoutes.summary, { query });
        if (options.json) printJson(io, body);
        else print(io, describe(body));
        return EXIT.ok;
      }),
    );
}

function describe(summary: ShieldEventSummary): string {
  const { from, to, totals, dropped } = summary;
  const head = [
    `${from} to ${to}`,
    `${totals.events} findings: ${totals.blocked} blocked, ${totals.detected} detected, ${totals.errors} engine errors`,
    ...(dropped > 0
      ? [`${dropped} more are not listed: filters report a limited number per second. See: flotilla counters`]
      : []),
  ];
  const tables = GROUPS.flatMap(([title, key]) => {
    const { groups, others } = summary[key];
    if (groups.length === 0) return [];
    const rest = others > 0 ? `\n${others} of others` : '';
    return [`\n${renderTable(createColumns(title), groups)}${rest}`];
  });
  return [...head, ...tables].join('\n');
}

function createColumns(title: string): Columns<ShieldEventGroup> {
  return {
    findings: 'events',
    blocked: 'blocked',
    detected: 'detected',
    last: age('last_at'),
    [title]: 'label',
  };
}

function parseTop(text: string): number {
  const top = Number(text);
  if (!Number.isInteger(top) || top < 1 || top > SHIELD_SUMMARY_TOP_MAX)
    throw new CliFailure(EXIT.usage, `"${text}" is not a number from 1 to ${SHIELD_SUMMARY_TOP_MAX}`);
  return top;
}
