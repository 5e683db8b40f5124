import {
  type AuditEntryView,
  type AuditHold,
  type AuditSink,
  type AuditVerdict,
  auditKeepingRoutes,
  auditRoutes,
  type CallInput,
} from '@flotilla/contract';
import { EXIT } from '../exit-codes.ts';
import { pipeResponse, saveNewFile } from '../new-file.ts';
import { createLookup } from '../nouns/lookup.ts';
import type { Noun } from '../nouns/noun.ts';
import { readRows } from '../nouns/rows.ts';
import { FILES } from '../nouns/sources.ts';
import { act, get, list, send, toTable } from '../nouns/verb.ts';
import { type Columns, renderTable } from '../output.ts';
import { LIMIT, SINCE, UNTIL } from './inputs.ts';
import { users } from './lookups.ts';

type Filters = CallInput<typeof auditRoutes.export>['query'];

const FILTERS = [
  { flags: '--user <name>', help: 'name or id of who did it', to: 'user', source: users.source },
  { flags: '--action <name>', help: 'such as user.create', to: 'action' },
  { flags: '--outcome <outcome>', to: 'outcome' },
  { flags: '--resource-type <type>', to: 'resource_type' },
  { flags: '--resource-id <id>', to: 'resource_id' },
  SINCE,
  UNTIL,
  { flags: '-q, --query <text>', help: 'part of user, action, resource or path; or a whole request id', to: 'q' },
] as const;

const COLUMNS: Columns<AuditEntryView> = {
  time: 'at',
  who: ({ actor }) => actor.name ?? actor.kind,
  action: 'action',
  outcome: 'outcome',
  resource: ({ resource }) => resource.name ?? resource.id,
  address: ({ request }) => request.client_ip,
  error: 'error_code',
  id: 'id',
};

const HOLD = {
  flags: '<hold>',
  to: 'hold_id',
  lookup: createLookup(auditKeepingRoutes.listHolds, { one: 'hold', name: ({ id }) => id }),
} as const;

const HOLD_COLUMNS: Columns<AuditHold> = {
  id: 'id',
  project: ({ project }) => project ?? 'all',
  from: 'from',
  before: 'to',
  reason: 'reason',
  by: 'created_by',
  since: 'created_at',
  released: 'released_at',
};

const HOLDS: Noun = {
  help: 'legal holds, which keep entries from being pruned: list, get, add, release',
  place: 'controller',
  verbs: {
    list: act(
      { help: 'holds in force', inputs: [{ flags: '--all', help: 'released holds as well' }] },
      async ({ reach }, { all }: { all?: boolean }) => {
        const holds = await readRows(reach, auditKeepingRoutes.listHolds, {});
        return toTable(all ? holds : holds.filter((hold) => hold.released_at === null), HOLD_COLUMNS);
      },
    ),
    get: get(auditKeepingRoutes.getHold, { help: 'one hold, even if it was released', inputs: [HOLD] }),
    add: act(
      {
        help: 'keep entries of the project until the hold is released',
        place: 'project or all',
        route: auditKeepingRoutes.createHold,
        inputs: [
          { flags: '--reason <text>', help: 'why, such as the number of a case', to: 'reason', isRequired: true },
          { ...SINCE, help: 'entries from this time on, such as 30d, or a time' },
          { ...UNTIL, help: 'entries before this time' },
        ],
      },
      async ({ reach: { connection, project }, request }) => {
        const body = { ...(request.body as { reason: string }), project: project ?? null };
        const { body: hold } = await connection.call(auditKeepingRoutes.createHold, { body });
        return { json: hold, text: `Hold ${hold.id} keeps ${describeHeld(hold)}.` };
      },
    ),
    release: send(auditKeepingRoutes.releaseHold, {
      help: 'release a hold: entries beyond the retention period are deleted in the next night',
      inputs: [HOLD],
      text: ({ id }) => `Hold ${id} is released.`,
    }),
  },
};

export const AUDIT: Noun = {
  help: 'the audit log: who did what, when and from where',
  place: 'project or all',
  verbs: {
    list: list(auditRoutes.list, { help: 'entries, newest first', inputs: [...FILTERS, LIMIT], columns: COLUMNS }),
    get: act(
      { help: 'one entry, with what changed', route: auditRoutes.get, inputs: [{ flags: '<id>', to: 'entry_id' }] },
      async ({ reach: { connection, project }, name }) => {
        const params = { entry_id: name('id') };
        const { body } = await connection.call(auditRoutes.get, { params, query: { project } });
        return { json: body, text: JSON.stringify(body, null, 2) };
      },
    ),
    export: act(
      {
        help: 'all entries that match, newest first: a line of JSON each, or CSV',
        route: auditRoutes.export,
        isRaw: true,
        inputs: [
          ...FILTERS,
          { flags: '--format <format>', help: 'ndjson by default', to: 'format' },
          {
            flags: '--out <file>',
            help: 'a new file instead of the terminal; only its owner may read it',
            source: FILES,
          },
        ],
      },
      async ({ io, reach, request }, { out }: { out?: string }) => {
        const answer = await reach.connection.open(auditRoutes.export, { query: request.query as Filters });
        if (out === undefined) await pipeResponse(io, answer, { to: io.stdout });
        else await saveNewFile(io, answer, out);
        return EXIT.ok;
      },
    ),
    verify: act(
      { help: 'recompute every entry and link of the audit log; exit code 10 if an entry was changed' },
      async ({ reach: { connection, project } }) => {
        const { body } = await connection.call(auditRoutes.verify, { query: { project } });
        const lines = body.items.map((verdict) => {
          const whose = project === undefined ? `${verdict.project ?? 'no project'}: ` : '';
          return `${whose}${describeVerdict(verdict)}`;
        });
        return { json: body, text: lines.join('\n'), exit: body.ok ? EXIT.ok : EXIT.differs };
      },
    ),
    stats: get(auditRoutes.stats, {
      help: 'how many actions were done, denied and failed, and by whom',
      inputs: FILTERS,
      text: ({ total_entries: total, outcomes, top_actions: actions, top_users: people }) =>
        [
          `${total} entries: ${outcomes.done} done, ${outcomes.denied} denied, ${outcomes.failed} failed`,
          ...renderCounts('action', actions),
          ...renderCounts('who', people),
        ].join('\n'),
    }),
    holds: HOLDS,
    sinks: act(
      {
        help: 'where entries are forwarded to, and how far each is behind; exit code 7 if one fails',
        place: 'controller',
      },
      async ({ reach }) => {
        const sinks = await readRows(reach, auditKeepingRoutes.listSinks, {});
        const isFailing = sinks.some(({ state }) => state === 'failing');
        return { ...toTable(sinks, SINK_COLUMNS), exit: isFailing ? EXIT.unfinished : EXIT.ok };
      },
    ),
  },
};

const SINK_COLUMNS: Columns<AuditSink> = {
  sink: 'name',
  state: 'state',
  position: 'position',
  behind: 'lag_entries',
  'behind s': 'lag_seconds',
  delivered: 'delivered_at',
  'failing since': 'failing_since',
  'last error': 'last_error',
};

function renderCounts(title: string, counts: Readonly<Record<string, number>>): string[] {
  const rows = Object.entries(counts).toSorted(([, a], [, b]) => b - a);
  if (rows.length === 0) return [];
  return [
    '',
    renderTable({ [title]: ([name]: [string, number]) => name, entries: ([, count]: [string, number]) => count }, rows),
  ];
}

function describeVerdict({ checked, sealed_to: end, unsealed, checkpoints, pruned, first_bad: bad }: AuditVerdict) {
  if (bad) return `${bad.kind}: ${bad.message} ${checked} entries before it are unchanged.`;
  const sealed = end ? `up to number ${end.seq}, ${end.hash}` : 'nothing sealed yet';
  const rest = `are unchanged (${sealed}); ${unsealed} not sealed yet, ${checkpoints} checkpoints`;
  if (!pruned) return `${checked} entries ${rest}`;
  return `${checked} entries after number ${pruned.seq}, up to which the audit log was pruned on ${pruned.at}, ${rest}`;
}

function describeHeld({ project, from, to, reason }: AuditHold): string {
  const times = [from && `from ${from}`, to && `before ${to}`].filter(Boolean).join(' ');
  const whose = project === null ? 'all projects' : `project ${project}`;
  return `the entries of ${whose}${times && `, ${times}`}: ${reason}`;
}
