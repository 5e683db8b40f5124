import { type Alarm, createEmptyReport, type HaConfig, type MemberReport, reportSchema } from '@flotilla/ha';

/** The state of the daemon as the agent has seen it. */
export interface DaemonSight {
  /** Undefined: it has not answered since the agent started. */
  readonly answer: MemberReport | undefined;
  readonly daemon: MemberReport['daemon'];
  /** Those that the agent itself raises. */
  readonly alarms: readonly Alarm[];
  readonly config: HaConfig | undefined;
}

const REPORT_MAX_BYTES = 256 * 1024;
const ALARMS_MAX = 100;
const MESSAGE_MAX = 1024;

/** The report of a member whose daemon has not answered yet. */
export function describeSilent(config: HaConfig | undefined): MemberReport {
  return createEmptyReport(config ? { role: 'init', pair_id: config.pair_id } : {});
}

/**
 * Reads the answer of a daemon. One that an earlier agent has started may lack newer members, because it is not replaced while it is
 * active. Undefined: this is no report.
 */
export function readReport(value: unknown): MemberReport | undefined {
  const given = asRecord(value);
  const parsed = reportSchema.safeParse({
    ...describeSilent(undefined),
    ...given,
    vips: asList(given.vips).map((vip) => ({ ...NO_SERVICE, ...vip })),
    changes: asList(given.changes).map((change) => ({ silent_ms: null, ...change })),
  });
  return parsed.success && typeof given.role === 'string' ? parsed.data : undefined;
}

const NO_SERVICE = { service_id: null, service: null, admin_port: null, unit: null, present: false, healthy: false };

/**
 * The report of the member for the controller. A daemon that is gone holds nothing that it could renew, so its last words no longer
 * count, except for its history. What a daemon has said that does not answer any more is passed on as it was.
 */
export function deriveReport({ answer, daemon, alarms, config }: DaemonSight): MemberReport {
  const empty = describeSilent(config);
  const isGone = daemon === 'absent' || !answer;
  const { epoch, since, maintenance, daemon_version, changes, terms, bound_ms, lease_ms } = answer ?? empty;
  const history = { epoch, since, maintenance, daemon_version, changes, terms, bound_ms, lease_ms };
  const base = isGone
    ? { ...empty, ...history, reason: daemon === 'stale' ? 'daemon_silent' : 'daemon_absent' }
    : answer;
  const all = [...alarms, ...base.alarms].slice(0, ALARMS_MAX);
  return limit({
    ...base,
    daemon,
    alarms: all.map((alarm) => ({ ...alarm, message: alarm.message.slice(0, MESSAGE_MAX) })),
  });
}

/** The newest part of the history, so that the whole has a bounded size. */
function limit(report: MemberReport): MemberReport {
  let limited = report;
  while (Buffer.byteLength(JSON.stringify(limited)) > REPORT_MAX_BYTES) {
    const { changes, terms, rejected } = limited;
    if (changes.length + terms.length + Object.keys(rejected).length === 0) return limited;
    const newest = <T>(all: readonly T[]) => all.slice(Math.ceil(all.length / 2));
    limited = { ...limited, changes: newest(changes), terms: newest(terms), rejected: {} };
  }
  return limited;
}

/** Two reports with equal texts differ only in counters and measured times, which messages of alarms contain, too. */
export function describeEssence(report: MemberReport): string {
  const { clock_skew_ms: _, rejected: __, paths, alarms, ...rest } = report;
  const ways = paths.map(({ network, local, peer, up }) => [network, local, peer, up]);
  return JSON.stringify([rest, ways, alarms.map(({ code, level }) => [code, level])]);
}

/** The result of a command: the report without the history. */
export function toResult(report: MemberReport): Omit<MemberReport, 'changes' | 'terms'> {
  const { changes: _, terms: __, ...result } = report;
  return result;
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function asList(value: unknown): ReadonlyArray<Readonly<Record<string, unknown>>> {
  return Array.isArray(value) ? value.map(asRecord) : [];
}
