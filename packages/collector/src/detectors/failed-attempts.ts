import type { RiskFlag } from '@flotilla/inventory';
import { addressOf, type RequestFacts } from '../request-facts.ts';
import { KeyedStates } from '../windows/keyed-states.ts';
import { SlidingCount } from '../windows/sliding-count.ts';
import { type Detector, isClientError, isRefusal, KEYS_MAX } from './detector.ts';

interface Attempts {
  readonly all: SlidingCount;
  readonly failed: SlidingCount;
}

interface Rule {
  readonly threshold: number;
  readonly ratio: number;
}

export interface FailedAttemptsOptions {
  readonly windowMs: number;
  readonly consumer: Rule;
  readonly address: Rule;
}

interface Kind {
  readonly name: string;
  readonly flag: RiskFlag;
  readonly concerns: (facts: RequestFacts) => boolean;
  readonly isFailure: (status: number) => boolean;
}

/** Attempts that fail too often, by consumer and by address. A consumer without a stable identity is only seen by its address. */
function createDetector({ name, flag, concerns, isFailure }: Kind, options: FailedAttemptsOptions): Detector {
  const { windowMs } = options;
  const states = new KeyedStates<Attempts>({
    max: KEYS_MAX,
    idleMs: windowMs,
    create: (timeMs) => ({ all: new SlidingCount(timeMs), failed: new SlidingCount(timeMs) }),
    write: ({ all, failed }, to) => {
      all.write(to);
      failed.write(to);
    },
    read: (from) => ({ all: SlidingCount.read(from), failed: SlidingCount.read(from) }),
  });
  const isOver = (key: string, facts: RequestFacts, { threshold, ratio }: Rule): boolean => {
    const { timeMs, entry } = facts;
    const failure = isFailure(entry.status);
    const state = failure ? states.use(key, timeMs) : states.peek(key);
    if (state === undefined) return false;
    const all = state.all.add(timeMs, windowMs);
    const failed = failure ? state.failed.add(timeMs, windowMs) : state.failed.read(timeMs, windowMs);
    return failed >= threshold && failed >= ratio * all;
  };
  return {
    name,
    isBaseline: false,
    states,
    observe(facts, flags) {
      if (!concerns(facts)) return;
      const address = addressOf(facts.source);
      const byConsumer = facts.consumer !== '' && isOver(`c${facts.consumer}`, facts, options.consumer);
      const byAddress = address !== '' && isOver(address, facts, options.address);
      if (byConsumer || byAddress) flags.add(flag);
    },
  };
}

/** Many attempts to sign in that are refused. */
export function createBruteForce(options: FailedAttemptsOptions): Detector {
  return createDetector(
    {
      name: 'brute_force',
      flag: 'brute_force_suspect',
      concerns: ({ isMutating, operation }) => isMutating && operation.categories.has('auth_endpoint'),
      isFailure: isRefusal,
    },
    options,
  );
}

/** Many payments that are declined: somebody tries cards. */
export function createPaymentAbuse(options: FailedAttemptsOptions): Detector {
  return createDetector(
    {
      name: 'payment_abuse',
      flag: 'payment_abuse_suspect',
      concerns: ({ isMutating, operation }) => isMutating && operation.categories.has('payment_endpoint'),
      isFailure: isClientError,
    },
    options,
  );
}
