import { BODY_REASONS, ENGINE_REASONS, type LoadedPolicies } from '@flotilla/policy';
import { toPlainText } from '../events/create-finding-event.ts';
import { GroupCounts } from './group-counts.ts';
import { ALLOWED, type Judgement, PolicyJudge } from './policy-judge.ts';
import { RecordOrder } from './record-order.ts';
import type { BadRecord, LogItem, RecordedRequest } from './recorded-request.ts';
import { RecordedView } from './recorded-view.ts';
import type { Lack } from './replay-engine.ts';
import type { ReplayFlip, ReplayReport, ReplaySample, ReplayVerdict } from './report.ts';

export interface ReplayOptions {
  /** Number of trusted proxies in front of the proxy that wrote the log. Default: 0. */
  readonly trustedHops?: number;
}

const SAMPLES_PER_FLIP = 10;
const BAD_RECORDS_SHOWN_MAX = 20;
const LACKS_MAX = 100;
const TEXT_SHOWN_MAX_CHARS = 512;

type Tally = { allowed: number; blocked: number; detected: number };

/**
 * Runs recorded requests through a policy, and compares the results with another policy or with the recorded responses.
 *
 * Both policies decide every request in order of the records' times, with their own engines on the records' clock, so
 * rate limits behave as they would have. Only counts and a few samples are kept, so a log may have any length.
 */
export class Replay {
  readonly #candidate: PolicyJudge;
  readonly #baseline: PolicyJudge | undefined;
  readonly #digests: { readonly candidate: string; readonly baseline: string | null };
  readonly #trustedHops: number;
  readonly #order = new RecordOrder();
  readonly #totals = {
    requests: 0,
    bad_records: 0,
    out_of_order: 0,
    without_time: 0,
    without_status: 0,
    undetermined: 0,
  };
  readonly #flips: Record<ReplayFlip, number> = {
    allow_to_block: 0,
    block_to_allow: 0,
    other_reason: 0,
    detection_changed: 0,
  };
  readonly #outcomes: { readonly baseline: Tally; readonly candidate: Tally } = {
    baseline: { allowed: 0, blocked: 0, detected: 0 },
    candidate: { allowed: 0, blocked: 0, detected: 0 },
  };
  readonly #groups = {
    policy: new GroupCounts(),
    route: new GroupCounts(),
    engine: new GroupCounts(),
    reason: new GroupCounts(),
    client: new GroupCounts(),
    host: new GroupCounts(),
  };
  readonly #samples: ReplaySample[] = [];
  readonly #lacks = new Map<string, { readonly what: string; readonly engine: string; requests: number }>();
  readonly #bad: BadRecord[] = [];
  #fromMs = Number.POSITIVE_INFINITY;
  #toMs = Number.NEGATIVE_INFINITY;

  /** Without a baseline policy, the recorded response is the baseline. */
  constructor(baseline: LoadedPolicies | undefined, candidate: LoadedPolicies, options: ReplayOptions = {}) {
    this.#candidate = new PolicyJudge(candidate);
    this.#baseline = baseline && new PolicyJudge(baseline);
    this.#digests = { candidate: candidate.digest, baseline: baseline?.digest ?? null };
    this.#trustedHops = options.trustedHops ?? 0;
  }

  add(item: LogItem): void {
    if (item.kind === 'bad') {
      this.#totals.bad_records += 1;
      if (this.#bad.length < BAD_RECORDS_SHOWN_MAX) this.#bad.push(item.bad);
      return;
    }
    for (const record of this.#order.push(item.record)) this.#judge(record);
  }

  /** Ends the replay. */
  finish(): ReplayReport {
    for (const record of this.#order.end()) this.#judge(record);
    const groups = this.#groups;
    const flips = this.#flips;
    return {
      candidate: { digest: this.#digests.candidate },
      baseline: { kind: this.#baseline === undefined ? 'recorded' : 'policy', digest: this.#digests.baseline },
      totals: {
        ...this.#totals,
        ...this.#outcomes,
        flips: flips.allow_to_block + flips.block_to_allow + flips.other_reason + flips.detection_changed,
        ...flips,
      },
      from: formatTime(this.#fromMs),
      to: formatTime(this.#toMs),
      by_policy: groups.policy.read(),
      by_route: groups.route.read(),
      by_engine: groups.engine.read(),
      by_reason: groups.reason.read(),
      by_client: groups.client.read(),
      by_host: groups.host.read(),
      samples: this.#samples,
      missing: [...this.#lacks.values()].sort((a, b) => b.requests - a.requests),
      bad_records: this.#bad,
    };
  }

  #judge(record: RecordedRequest): void {
    const { weight = 1 } = record;
    this.#totals.requests += weight;
    this.#noteTime(record);
    const view = new RecordedView(record, this.#trustedHops);
    const judged = this.#candidate.judge(view);
    const baseline = this.#baseline?.judge(view);
    const before = baseline?.verdict ?? this.#recordedVerdict(record);
    const candidate = baseline === undefined ? keepRecorded(before, judged) : judged;
    this.#outcomes.baseline[before.verdict] += weight;
    this.#outcomes.candidate[candidate.verdict.verdict] += weight;
    this.#noteLacks(candidate, weight);
    const flip = compare(before, candidate, baseline);
    this.#group(view, { before, candidate, flip });
    if (flip === undefined) return;
    this.#flips[flip] += weight;
    this.#sample(view, { before, candidate, flip });
  }

  #noteTime(record: RecordedRequest): void {
    const { timeMs } = record;
    if (timeMs === undefined) {
      this.#totals.without_time += record.weight ?? 1;
      return;
    }
    this.#fromMs = Math.min(this.#fromMs, timeMs);
    this.#toMs = Math.max(this.#toMs, timeMs);
    this.#baseline?.moveTo(timeMs);
    if (!this.#candidate.moveTo(timeMs)) this.#totals.out_of_order += record.weight ?? 1;
  }

  #recordedVerdict({ wasBlocked, status, reason, weight = 1 }: RecordedRequest): ReplayVerdict {
    if (wasBlocked === undefined) this.#totals.without_status += weight;
    if (wasBlocked !== true) return { ...ALLOWED, status: status ?? null };
    return { ...ALLOWED, verdict: 'blocked', reason: reason ?? null, status: status ?? null };
  }

  #noteLacks({ lacks }: Judgement, weight: number): void {
    if (lacks.length === 0) return;
    this.#totals.undetermined += weight;
    const counted = new Set<string>();
    for (const { engine, what } of lacks) {
      const key = `${engine} ${what}`;
      if (counted.has(key)) continue;
      counted.add(key);
      const known = this.#lacks.get(key);
      if (known !== undefined) known.requests += weight;
      else if (this.#lacks.size < LACKS_MAX) this.#lacks.set(key, { what, engine, requests: weight });
    }
  }

  #group(view: RecordedView, { before, candidate, flip }: Compared): void {
    const groups = this.#groups;
    const { weight = 1 } = view.record;
    const counted = { flip, weight };
    groups.policy.add(candidate.policy ?? 'no policy', counted);
    groups.route.add(candidate.route ?? 'no policy', counted);
    groups.client.add(view.client === '' ? 'unknown' : view.client, counted);
    groups.host.add(view.host === '' ? 'unknown' : view.host, counted);
    const decisive = candidate.verdict.reason === null ? before : candidate.verdict;
    if (decisive.engine !== null) groups.engine.add(decisive.engine, counted);
    if (decisive.reason !== null) groups.reason.add(decisive.reason, counted);
  }

  #sample(view: RecordedView, { before, candidate, flip }: Compared): void {
    if (flip === undefined || this.#samples.filter((sample) => sample.flip === flip).length >= SAMPLES_PER_FLIP) return;
    const { record } = view;
    const show = (text: string) => toPlainText(text, TEXT_SHOWN_MAX_CHARS);
    this.#samples.push({
      flip,
      time: record.timeMs === undefined ? null : formatTime(record.timeMs),
      method: record.request.method,
      host: show(view.host),
      path: show(view.rawPath),
      source_ip: view.client,
      baseline: before,
      candidate: candidate.verdict,
      is_undetermined: candidate.lacks.length > 0,
      file: record.place.file,
      line: record.place.line,
    });
  }
}

interface Compared {
  readonly before: ReplayVerdict;
  readonly candidate: Judgement;
  readonly flip: ReplayFlip | undefined;
}

/**
 * If the record lacks what an engine needs, the recorded block remains: a block is not reported as lifted because the
 * key or body that was blocked is not in the record.
 */
function keepRecorded(before: ReplayVerdict, judged: Judgement): Judgement {
  if (before.verdict !== 'blocked' || judged.verdict.verdict === 'blocked') return judged;
  return judged.lacks.some((lack) => mayHaveBlocked(lack, before.reason)) ? { ...judged, verdict: before } : judged;
}

/** Whether an engine that lacks something may have blocked for the recorded reason; true if there is no reason. */
function mayHaveBlocked({ engine, what }: Lack, reason: string | null): boolean {
  if (reason === null) return true;
  const reasons: Readonly<Record<string, readonly string[]>> = ENGINE_REASONS;
  if (reasons[engine]?.includes(reason) === true) return true;
  return what === 'the body' && BODY_REASONS.some((one) => one === reason);
}

function compare(before: ReplayVerdict, candidate: Judgement, baseline: Judgement | undefined): ReplayFlip | undefined {
  const after = candidate.verdict;
  if (before.verdict !== 'blocked') {
    if (after.verdict === 'blocked') return 'allow_to_block';
    // An access log does not show what mode detect recorded then.
    return baseline !== undefined && baseline.detections !== candidate.detections ? 'detection_changed' : undefined;
  }
  if (after.verdict !== 'blocked') return 'block_to_allow';
  return before.reason !== null && before.reason !== after.reason ? 'other_reason' : undefined;
}

function formatTime(ms: number): string | null {
  return Number.isFinite(ms) && Math.abs(ms) < 8.64e15 ? new Date(ms).toISOString() : null;
}

/** Runs a complete replay on the items from `readLogText` or `LogReader`. */
export function replayRequests(
  baseline: LoadedPolicies | undefined,
  candidate: LoadedPolicies,
  items: Iterable<LogItem>,
  options: ReplayOptions = {},
): ReplayReport {
  const replay = new Replay(baseline, candidate, options);
  for (const item of items) replay.add(item);
  return replay.finish();
}
