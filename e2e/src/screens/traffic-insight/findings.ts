import { type FindingDetail, findingRoutes } from '@flotilla/contract';
import { before, FLAGS, HOSTILE, OPERATIONS, PROJECT_ID } from './catalogue.ts';
import type { Answers, Asked } from './serve.ts';

const DAY_MS = 86_400_000;
const OWNER = { id: '00000000-0000-4000-8000-0000000000aa', name: 'anna' };
const STATES = ['new', 'came_back', 'acknowledged', 'fix_claimed', 'accepted', 'fixed', 'operation_gone'] as const;
const SEVERE = FLAGS.filter(({ severity }) => severity !== 'info');

function createFinding(index: number): FindingDetail {
  const flag = SEVERE[index % SEVERE.length] ?? SEVERE[0];
  const operation = OPERATIONS[index % OPERATIONS.length];
  if (flag === undefined || operation === undefined) throw new Error('the catalogue is empty');
  const state = STATES[index % STATES.length] ?? 'new';
  const isFixed = state === 'fixed';
  return {
    id: `00000000-0000-4000-8000-${(index + 256).toString(16).padStart(12, '0')}`,
    project: PROJECT_ID,
    operation: {
      id: operation.id,
      method: operation.method,
      host: operation.host,
      normalized_path: index === 3 ? HOSTILE : operation.normalized_path,
      operation: operation.operation,
    },
    flag: flag.flag,
    title: flag.title,
    severity: flag.severity as FindingDetail['severity'],
    state,
    state_since: before(2 * DAY_MS),
    state_by: state === 'acknowledged' || state === 'accepted' ? OWNER.name : null,
    reason: state === 'accepted' ? 'The legacy client ends in March. <b>bold</b>' : null,
    accepted_until: state === 'accepted' ? new Date(Date.now() + 30 * DAY_MS).toISOString() : null,
    owner: index % 2 === 0 ? OWNER : null,
    first_seen: before(20 * DAY_MS),
    last_seen: before(3 * DAY_MS),
    sightings: 40,
    evidence:
      state === 'operation_gone'
        ? null
        : {
            starts_at: before(3 * DAY_MS),
            starts_with: 'sighting',
            counts: 'success',
            requests: isFixed ? 4200 : index === 0 ? 0 : 31,
            requests_needed: 50,
            used_s: index === 0 ? 0 : 200_000,
            used_s_needed: 86_400,
            condition: index === 1 ? 'anonymous_refused' : null,
            condition_met: index !== 1,
            is_met: isFixed,
            no_traffic_since: index === 0 ? before(3 * DAY_MS) : null,
          },
    revision: 3,
    axis: flag.axis,
    remedy: flag.remedy,
    owasp: flag.owasp,
    texts: { what: flag.what, why: flag.why, detected: flag.detected, steps: [...flag.steps] },
    events: { operation_id: [operation.id], risk_flag: flag.flag, from: before(7 * DAY_MS), to: before(3 * DAY_MS) },
  };
}

export const FINDINGS: readonly FindingDetail[] = Array.from({ length: 14 }, (_, index) => createFinding(index));

const isAmong = (values: readonly string[], value: string) => values.length === 0 || values.includes(value);

function listFindings({ query }: Asked) {
  const items = FINDINGS.filter(
    ({ state, severity, operation }) =>
      isAmong(query.getAll('state'), state) &&
      isAmong(query.getAll('severity'), severity) &&
      isAmong(query.getAll('operation_id'), operation.id),
  );
  return { items, next_cursor: null, total: items.length };
}

const HISTORY = [
  {
    kind: 'comment',
    from: null,
    to: null,
    by: 'anna',
    note: 'The header is set at the load balancer now. <i>Really.</i>',
  },
  { kind: 'state', from: 'fixed', to: 'came_back', by: null, note: 'The flag was seen again.' },
  { kind: 'owner', from: null, to: 'anna', by: 'boris', note: null },
  { kind: 'opened', from: null, to: null, by: null, note: null },
].map((entry, index) => ({
  id: `00000000-0000-4000-8000-0000000001${index}0`,
  at: before((index + 1) * DAY_MS),
  ...entry,
}));

const states = Object.fromEntries(STATES.map((state) => [state, FINDINGS.filter((one) => one.state === state).length]));

export const FINDING_ANSWERS: Answers = [
  [findingRoutes.get, ({ param }) => FINDINGS.find(({ id }) => id === param) ?? MISSING],
  [findingRoutes.list, listFindings],
  [
    findingRoutes.summary,
    {
      open: 10,
      states,
      severities: { critical: 1, high: 1, medium: 1, low: 1 },
      unassigned: 5,
      saturated: false,
      compared_at: before(60_000),
    },
  ],
  [findingRoutes.owners, { items: [OWNER], next_cursor: null }],
  [findingRoutes.history, { items: HISTORY, next_cursor: null }],
  [findingRoutes.comment, HISTORY[0] ?? {}],
  [findingRoutes.changeMany, { matched: 3, changed: 2, unchanged: 0, refused: 1, remaining: 0 }],
];

const MISSING = { refused: { status: 404, code: 'record.not_found', message: 'There is no such finding.' } };
