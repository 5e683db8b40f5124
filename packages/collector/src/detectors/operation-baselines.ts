import { Baseline } from '../windows/baseline.ts';
import { KeyedStates } from '../windows/keyed-states.ts';
import type { StateReader, StateWriter } from '../windows/plain-state.ts';
import { type Detector, isClientError, KEYS_MAX } from './detector.ts';

const IDLE_MS = 7 * 86_400_000;

export interface ResponseSizeOptions {
  readonly multiplier: number;
  readonly minBaselineBytes: number;
  readonly minEventBytes: number;
  readonly warmup: number;
  readonly sigma: number;
  readonly inRow: number;
}

const FILES = /^(?:image|video|audio|font)\/|octet-stream|pdf|zip|gzip|x-tar|csv|spreadsheet|msword|officedocument/;

/** Answers that are far larger than those before. Exports and files are as large as what they contain. */
export function createResponseSize(options: ResponseSizeOptions): Detector {
  const { multiplier, minBaselineBytes, minEventBytes, warmup, sigma, inRow } = options;
  const states = new KeyedStates<Baseline>({
    max: KEYS_MAX,
    idleMs: IDLE_MS,
    create: () => new Baseline(),
    write: (baseline, to) => baseline.write(to),
    read: Baseline.read,
  });
  return {
    name: 'response_size',
    isBaseline: true,
    states,
    observe({ entry, operation, timeMs, isStatic, isConfirmed }, flags) {
      if (!isConfirmed || entry.status < 200 || entry.status > 299 || isStatic) return;
      if (operation.categories.has('data_export') || FILES.test(entry.contentType)) return;
      const baseline = states.use(operation.id, timeMs);
      if (baseline === undefined) return;
      const { samples, mean, deviation } = baseline;
      const bytes = entry.responseBytes;
      const bound = Math.max(minEventBytes, multiplier * mean, mean + sigma * deviation);
      const isDeviant = samples >= warmup && mean >= minBaselineBytes && bytes > bound;
      if (baseline.noteDeviant(isDeviant) >= inRow) flags.add('oversized_response');
      // Deviant values count once they are flagged: a service that has changed becomes normal.
      else if (!isDeviant) baseline.add(bytes);
      if (isDeviant && flags.has('oversized_response')) baseline.add(bound);
    },
  };
}

export interface BehaviorOptions {
  readonly warmup: number;
  readonly suppressMs: number;
  readonly latency: { readonly sigma: number; readonly minMs: number; readonly inRow: number };
  readonly errors: {
    readonly fast: number;
    readonly slow: number;
    readonly multiplier: number;
    readonly minRate: number;
    readonly inRow: number;
  };
}

interface Behavior {
  readonly sinceMs: number;
  readonly latency: Baseline;
  fast: number;
  slow: number;
  requests: number;
  inRow: number;
}

/** Latency and share of client errors of an operation, compared with what was normal for it. */
export function createBehavior({ warmup, suppressMs, latency, errors }: BehaviorOptions): Detector {
  const states = new KeyedStates<Behavior>({
    max: KEYS_MAX,
    idleMs: IDLE_MS,
    create: (sinceMs) => ({ sinceMs, latency: new Baseline(), fast: 0, slow: 0, requests: 0, inRow: 0 }),
    write: writeBehavior,
    read: readBehavior,
  });
  return {
    name: 'behavior',
    isBaseline: true,
    states,
    observe({ entry, operation, timeMs, isConfirmed, isBlocked }, flags) {
      if (!isConfirmed || isBlocked) return;
      const state = states.use(operation.id, timeMs);
      if (state === undefined) return;
      const isQuiet = state.requests < warmup || timeMs - state.sinceMs < suppressMs;
      const ms = entry.latencyUs / 1000;
      const bound = Math.max(latency.minMs, state.latency.mean + latency.sigma * state.latency.deviation);
      const isSlow = !isQuiet && ms > bound;
      if (state.latency.noteDeviant(isSlow) >= latency.inRow) flags.add('latency_anomaly');
      state.latency.add(isSlow ? bound : ms);
      if (noteError(state, isClientError(entry.status) ? 1 : 0, errors) && !isQuiet) flags.add('error_rate_spike');
    },
  };
}

/** Whether the recent share of errors is far above the usual one, several times in a row. */
function noteError(
  state: Behavior,
  error: number,
  { fast, slow, multiplier, minRate, inRow }: BehaviorOptions['errors'],
) {
  state.requests += 1;
  state.fast += fast * (error - state.fast);
  const isSpike = error === 1 && state.fast >= minRate && state.fast >= multiplier * state.slow;
  // The usual share does not follow a spike.
  if (!isSpike) state.slow += slow * (error - state.slow);
  if (isSpike) state.inRow += 1;
  else if (state.fast < minRate) state.inRow = 0;
  return isSpike && state.inRow >= inRow;
}

function writeBehavior({ sinceMs, latency, fast, slow, requests, inRow }: Behavior, to: StateWriter): void {
  to.time(sinceMs);
  latency.write(to);
  for (const value of [fast, slow, requests, inRow]) to.number(value);
}

function readBehavior(from: StateReader): Behavior {
  return {
    sinceMs: from.time(),
    latency: Baseline.read(from),
    fast: from.amount(),
    slow: from.amount(),
    requests: from.amount(),
    inRow: from.amount(),
  };
}
