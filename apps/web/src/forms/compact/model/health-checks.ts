import { refOf } from '../../model/any.ts';
import { readDuration } from '../../model/duration.ts';
import { isList, isObject, type Json, type JsonObject } from '../../model/json.ts';
import { type CellProblem, listOtherKeys, readMember, writeMember } from './members.ts';
import { texts } from './texts.ts';

const words = texts.checks;

/** Kinds of checks, with the place of the text that says what is checked, and the content of a new one. */
const KINDS = {
  http_health_check: { text: 'path', fresh: { path: '/' } },
  grpc_health_check: { text: 'service_name', fresh: {} },
  tcp_health_check: { text: undefined, fresh: {} },
} as const satisfies Record<string, { readonly text: string | undefined; readonly fresh: JsonObject }>;
export type CheckKind = keyof typeof KINDS;
export const CHECK_KINDS = Object.keys(KINDS) as readonly CheckKind[];
const CUSTOM = 'custom_health_check';

export const DURATIONS = ['interval', 'timeout'] as const;
export const THRESHOLDS = ['unhealthy_threshold', 'healthy_threshold'] as const;
type Timing = (typeof DURATIONS)[number] | (typeof THRESHOLDS)[number];
export type CheckCell = 'kind' | 'target' | Timing;

const THRESHOLD_MAX = 4_294_967_295;

export interface CheckRow {
  /** `custom`: an extension, which the row names; undefined: none is set. */
  readonly kind: CheckKind | 'custom' | undefined;
  /** Path or service; undefined if the kind has neither. */
  readonly target: string | undefined;
  readonly timings: Readonly<Record<Timing, Json | undefined>>;
  /** Settings that the row does not show. */
  readonly others: readonly string[];
  readonly problems: readonly CellProblem<CheckCell>[];
}

export type Checks =
  | { readonly isSimple: true; readonly rows: readonly CheckRow[] }
  | { readonly isSimple: false; readonly reason: string };

/** Reads `Cluster.health_checks`. */
export function readChecks(value: Json | undefined): Checks {
  const items = value ?? [];
  if (!isList(items)) return { isSimple: false, reason: words.noList };
  const rows: CheckRow[] = [];
  for (const [index, item] of items.entries()) {
    const reason = refuseItem(item);
    if (reason !== undefined) return { isSimple: false, reason: words.refused(index + 1, reason) };
    rows.push(toRow(item));
  }
  return { isSimple: true, rows };
}

/** Changes what is checked. A kind without such a text stays. */
export function writeTarget(item: Json | undefined, text: string): JsonObject {
  const check = isObject(item) ? item : {};
  const { kind, target } = toRow(check);
  if (kind === undefined || kind === 'custom' || target === undefined || target === text) return check;
  const field = KINDS[kind].text;
  return field === undefined ? check : writeMember(check, [kind, field], text === '' ? undefined : text);
}

export function writeTiming(item: Json | undefined, timing: Timing, value: Json | undefined): JsonObject {
  return writeMember(isObject(item) ? item : {}, [timing], value === '' ? undefined : value);
}

export function freshCheckOf(kind: CheckKind): JsonObject {
  return KINDS[kind].fresh;
}

export function createCheck(): JsonObject {
  return {
    timeout: '5s',
    interval: '10s',
    unhealthy_threshold: 3,
    healthy_threshold: 2,
    http_health_check: freshCheckOf('http_health_check'),
  };
}

function refuseItem(item: Json): string | undefined {
  if (!isObject(item)) return 'is not an object';
  const set = [...CHECK_KINDS, CUSTOM].filter((kind) => readMember(item, [kind]) !== undefined);
  if (set.length > 1) return 'has several kinds';
  const parts = [item, ...set.map((kind) => readMember(item, [kind]))];
  if (parts.some((part) => refOf(part) !== undefined)) return 'contains a reference';
  const [kind] = set;
  const field = CHECK_KINDS.find((known) => known === kind);
  const texts = field && KINDS[field].text ? [readMember(item, [field, KINDS[field].text])] : [];
  const isShown =
    parts.every(isObject) &&
    texts.every((text) => text === undefined || typeof text === 'string') &&
    Object.values(toTimings(item)).every((value) => !isObject(value) && !isList(value) && typeof value !== 'boolean');
  return isShown ? undefined : 'has a value of a wrong type';
}

function toRow(item: Json): CheckRow {
  const kind = CHECK_KINDS.find((known) => readMember(item, [known]) !== undefined);
  const field = kind && KINDS[kind].text;
  const text = kind && field ? (readMember(item, [kind, field]) ?? '') : undefined;
  const row = {
    kind: kind ?? (readMember(item, [CUSTOM]) === undefined ? undefined : ('custom' as const)),
    target: typeof text === 'string' ? text : undefined,
    timings: toTimings(item),
    others: [
      ...listOtherKeys(item, [...CHECK_KINDS, CUSTOM, ...DURATIONS, ...THRESHOLDS]),
      ...(kind ? listOtherKeys(readMember(item, [kind]), field ? [field] : []) : []),
    ],
  };
  return { ...row, problems: findProblems(row) };
}

function toTimings(item: Json): CheckRow['timings'] {
  return {
    interval: readMember(item, ['interval']),
    timeout: readMember(item, ['timeout']),
    unhealthy_threshold: readMember(item, ['unhealthy_threshold']),
    healthy_threshold: readMember(item, ['healthy_threshold']),
  };
}

function findProblems({ kind, target, timings }: Omit<CheckRow, 'problems'>): CheckRow['problems'] {
  const problems: CellProblem<CheckCell>[] = [];
  if (kind === undefined) problems.push({ cell: 'kind', message: words.noKind });
  if (kind === 'http_health_check' && target === '') problems.push({ cell: 'target', message: words.noPath });
  for (const cell of [...DURATIONS, ...THRESHOLDS]) {
    const message = findTimingProblem(cell, timings[cell]);
    if (message !== undefined) problems.push({ cell, message });
  }
  return problems;
}

function findTimingProblem(cell: Timing, value: Json | undefined): string | undefined {
  const name = words.names[cell];
  if (value === undefined) return `${name} is required.`;
  if (DURATIONS.some((known) => known === cell)) {
    const nanos = readDuration(value);
    return nanos !== undefined && nanos > 0n ? undefined : `${name} must be a duration above zero, such as 5s.`;
  }
  const isCount = /^\d+$/.test(String(value)) && Number(value) <= THRESHOLD_MAX;
  return isCount ? undefined : `${name} must be a whole number from 0 to ${THRESHOLD_MAX}.`;
}
