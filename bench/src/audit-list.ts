// Lists the audit log of a project with 1,000,000 entries beside another with 300,000, over the API and as the
// application's role under row-level security: `node bench/src/audit-list.ts [ENTRIES] [ROUNDS]`. The entries span 90
// days.
import { actorIdOf, fillAudit } from '@flotilla/controller/testing/audit';
import { createTestController } from '@flotilla/controller/testing/controller';
import { percentile } from './table.ts';

const [entries = 1_000_000, rounds = 15] = process.argv.slice(2).map(Number);
const GOAL_MS = 50;
const DAY_MS = 86_400_000;
const SPAN_DAYS = 90;

const now = Date.now();
const t = await createTestController();
const { project, owner } = t;
const other = await t.createProject('other');
const begun = performance.now();
const of = (id: string, count: number) => ({
  project: id,
  entries: count,
  from: new Date(now - SPAN_DAYS * DAY_MS),
  everyS: (SPAN_DAYS * DAY_MS) / 1000 / count,
});
await fillAudit(t.database.owner, [of(project, entries), of(other, Math.floor(entries * 0.3))]);
console.log(`${entries} entries and 0.3 times as many beside them, made in ${seconds(begun)} s`);

const LOGS = '/api/v3/audit/logs';
const daysAgo = (days: number) => new Date(now - days * DAY_MS).toISOString();

interface Answer {
  readonly items?: readonly { readonly id: string }[];
  readonly total_entries?: number;
  readonly next_cursor?: string | null;
}

async function ask(path: string, query: string): Promise<Answer> {
  const { status, body } = await owner.call('GET', `${path}?project=${project}${query && `&${query}`}`);
  if (status !== 200) throw new Error(`${path}?${query} answered ${status}: ${JSON.stringify(body)}`);
  return body;
}

/** Returns a cursor after this many entries. */
async function cursorAfter(count: number): Promise<string> {
  let cursor = '';
  for (let passed = 0; passed < count; passed += 1000)
    cursor = `cursor=${(await ask(LOGS, `limit=1000&${cursor}`)).next_cursor}`;
  return cursor;
}

const deep = await cursorAfter(Math.min(100_000, entries / 2));
const [newest] = (await ask(LOGS, 'limit=1')).items ?? [];
const week = `from=${daysAgo(7)}`;
const q = (text: string) => `q=${encodeURIComponent(text)}`;

const questions: readonly (readonly [name: string, query: string, path?: string])[] = [
  ['first page', ''],
  ['first page of the screen (7 days, 100 rows)', `${week}&limit=100`],
  ['oldest first', 'sort=at'],
  ['page after 100,000 others', deep],
  ['one entry', '', `${LOGS}/${newest?.id}`],
  ['who', 'user=person17'],
  ['who, by id', `user=${actorIdOf('person17')}`],
  ['who has left', 'user=leaver'],
  ['who has left, by id', `user=${actorIdOf('leaver')}`],
  ['two people', 'user=person17&user=leaver'],
  ['nobody', 'user=no-such-person'],
  ['part of a name', 'username=leav'],
  ['action', 'action=act.n42'],
  ['three actions', 'action=act.n1&action=act.n2&action=act.nowhere'],
  ['kind of resource', 'resource_type=kind7'],
  ['resource', 'resource_id=id-4711'],
  ['done', 'outcome=done'],
  ['denied', 'outcome=denied'],
  ['failed', 'outcome=failed'],
  ['denied or failed', 'success=false'],
  ['an hour long ago', `from=${daysAgo(60)}&to=${new Date(now - 60 * DAY_MS + 3_600_000).toISOString()}`],
  ['before a time', `to=${daysAgo(80)}`],
  ['who and action', 'user=person42&action=act.n42'],
  ['who and action, never together', 'user=person17&action=act.n42'],
  ['who has left, and denied', 'user=leaver&outcome=denied'],
  ['who and time', `user=person17&${week}`],
  ['action and denied', 'action=act.n0&outcome=denied'],
  ['kind and action', 'resource_type=kind7&action=act.n42'],
  ['resource and failed', 'resource_id=id-4711&outcome=failed'],
  ['text that is frequent', q('things')],
  ['text of one in a hundred', q('act.n42')],
  ['text that is rare', q('things/name_4711')],
  ['text of long ago alone', q('gone_')],
  ['text that is nowhere', q('no such thing')],
  ['text of one letter', q('a')],
  ['text of two letters', q('p1')],
  ['two letters that are nowhere', q('qz')],
  ['text and action', `${q('name_47')}&action=act.n42`],
  ['text and who', `${q('name_47')}&user=person17`],
  ['text and 7 days', `${q('name_4711')}&${week}`],
  ['request id', q('RID')],
  ['counts of the screen (7 days)', week, '/api/v3/audit/stats'],
  ['counts of the screen (24 hours)', `from=${daysAgo(1)}`, '/api/v3/audit/stats'],
  ['counts of who, 7 days', `user=person17&${week}`, '/api/v3/audit/stats'],
  ['counts of everything', '', '/api/v3/audit/stats'],
];

const requestId = (
  (await owner.call('GET', `${LOGS}/${newest?.id}?project=${project}`)).body as { request: { id: string } }
).request.id;

const table: Record<string, { 'p50 ms': number; 'longest ms': number; found: number; '': string }> = {};
for (const [name, query, path = LOGS] of questions) {
  const asked = query.replace('q=RID', q(requestId));
  const times: number[] = [];
  let answer: Answer = {};
  // The first rounds warm up code and disk cache.
  for (let round = -2; round < rounds; round += 1) {
    const began = performance.now();
    answer = await ask(path, asked);
    if (round >= 0) times.push(performance.now() - began);
  }
  const [p50, longest] = [percentile(times, 0.5), Math.max(...times)];
  table[name] = {
    'p50 ms': round1(p50),
    'longest ms': round1(longest),
    found: answer.items?.length ?? answer.total_entries ?? 1,
    '': p50 <= GOAL_MS ? '' : `over ${GOAL_MS}`,
  };
}
console.table(table);
await t.close();

function round1(ms: number): number {
  return Math.round(ms * 10) / 10;
}

function seconds(since: number): number {
  return Math.round((performance.now() - since) / 1000);
}
