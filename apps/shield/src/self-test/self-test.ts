import type { SelfTestSignals } from './wiring-signals.ts';

export type SelfTestState = 'ok' | 'unknown' | 'failing';

/**
 * The `self_test` in `/configz`. Problems are sentences for people: for `failing` the errors, for `unknown` the
 * possible ones.
 */
export interface SelfTestResult {
  readonly state: SelfTestState;
  readonly problems: readonly string[];
}

/** Consecutive signs that only a wrong configuration causes. */
const CERTAIN_IN_A_ROW = 3;
/** Consecutive exchanges that Envoy reset while a body was awaited. */
const IGNORED_IN_A_ROW = 10;
/** Consecutive exchanges that ended while the body was awaited: disconnecting clients look the same. */
const ABANDONED_IN_A_ROW = 10;
/** The same after bodies have arrived before. */
const ABANDONED_IN_A_ROW_AFTER_BODIES = 200;
/** How long such exchanges are remembered without new ones. */
const ABANDONED_REMEMBERED_MS = 300_000;

export const NO_BODY =
  'Envoy does not send the request bodies that the filter asks for: the ext_proc filter needs allow_mode_override: true and no allowed_override_modes';
export const NO_BODY_PERHAPS =
  'request bodies that the filter asks for do not come: clients break off their uploads, or the ext_proc filter of Envoy lacks allow_mode_override: true; with --envoy-admin the filter looks for itself';
export const CUT_BODY =
  'Envoy cuts request bodies before max_request_body_bytes of the policy: per_connection_buffer_limit_bytes of the listener must be larger';
export const NO_HEADERS =
  'Envoy does not send the headers of requests: the ext_proc filter needs processing_mode.request_header_mode: SEND';

/**
 * Detects from the traffic that Envoy is configured so that the filter cannot work. The state of each of three
 * properties (missing bodies, bodies truncated below the limit, exchanges without request headers):
 *
 * - *unknown*: nothing conclusive was observed. Requests without bodies show nothing about bodies. Clients alone can
 *   cause exchanges that end while a body is awaited; these lead to a suspicion but never to a failure, because clients
 *   must not be able to take a filter out of service. The suspicion expires some minutes after the last of them.
 * - *ok*: what was requested arrived. Entered with each body that arrives as requested, also from *failing*, so that
 *   a repaired listener is noticed.
 * - *failing*: what was requested was missing several times in a row. An arrival in between resets the count.
 *
 * The whole is failing if one of them is, else unknown if there is a suspicion, else ok if one of them is. `EnvoyWatch`
 * reads from Envoy what traffic cannot show: `failure_mode_allow` (an Envoy that lets requests pass while the filter is
 * away looks normal while it is there), and requests for which Envoy does not call the filter.
 */
export class SelfTest implements SelfTestSignals {
  readonly #onChange: (reading: SelfTestResult) => void;
  #state: SelfTestState = 'unknown';
  #wasSuspicious = false;
  #sawBody = false;
  #missing = 0;
  #ignored = 0;
  #abandoned = 0;
  #forgetAbandoned: NodeJS.Timeout | undefined;
  #cut = 0;
  #headless = 0;

  constructor(onChange: (reading: SelfTestResult) => void = () => undefined) {
    this.#onChange = onChange;
  }

  get reading(): SelfTestResult {
    return { state: this.#state, problems: this.#problems() };
  }

  onBodyAsked(): void {
    if (this.#headless > 0) this.onHeadersArrived();
  }

  onHeadersArrived(): void {
    this.#headless = 0;
    this.#settle();
  }

  onBodyArrived(isComplete: boolean): void {
    if (this.#state === 'ok' && this.#missing + this.#ignored + this.#abandoned + this.#cut === 0) return;
    this.#sawBody = true;
    this.#missing = 0;
    this.#ignored = 0;
    this.#abandoned = 0;
    if (isComplete) this.#cut = 0;
    this.#settle();
  }

  onBodyCut(isBelowCap: boolean): void {
    this.#cut = isBelowCap ? this.#cut + 1 : 0;
    this.#settle();
  }

  onBodyMissing(): void {
    this.#missing += 1;
    this.#settle();
  }

  onBodyIgnored(): void {
    this.#ignored += 1;
    this.#settle();
  }

  onBodyAbandoned(): void {
    this.#abandoned += 1;
    this.#settle();
    if (!this.#isSuspicious) return;
    this.#forgetAbandoned ??= setTimeout(() => {
      this.#abandoned = 0;
      this.#settle();
    }, ABANDONED_REMEMBERED_MS).unref();
    this.#forgetAbandoned.refresh();
  }

  onHeadersMissing(): void {
    this.#headless += 1;
    this.#settle();
  }

  #settle(): void {
    const isSuspicious = this.#isSuspicious;
    const isKnown = this.#sawBody && !isSuspicious;
    const state = this.#findFaults().length > 0 ? 'failing' : isKnown ? 'ok' : 'unknown';
    if (state === this.#state && isSuspicious === this.#wasSuspicious) return;
    this.#state = state;
    this.#wasSuspicious = isSuspicious;
    this.#onChange(this.reading);
  }

  get #isSuspicious(): boolean {
    return this.#abandoned >= (this.#sawBody ? ABANDONED_IN_A_ROW_AFTER_BODIES : ABANDONED_IN_A_ROW);
  }

  #problems(): string[] {
    const faults = this.#findFaults();
    return faults.length === 0 && this.#isSuspicious ? [NO_BODY_PERHAPS] : faults;
  }

  #findFaults(): string[] {
    const faults: string[] = [];
    if (this.#headless >= CERTAIN_IN_A_ROW) faults.push(NO_HEADERS);
    if (this.#missing >= CERTAIN_IN_A_ROW || this.#ignored >= IGNORED_IN_A_ROW) faults.push(NO_BODY);
    if (this.#cut >= CERTAIN_IN_A_ROW) faults.push(CUT_BODY);
    return faults;
  }
}

/** Merges the results of several threads, each of which sees part of the traffic. */
export function mergeReadings(readings: readonly SelfTestResult[]): SelfTestResult {
  const failing = readings.filter(({ state }) => state === 'failing');
  const relevant = failing.length > 0 ? failing : readings;
  const problems = [...new Set(relevant.flatMap((reading) => reading.problems))];
  if (failing.length > 0) return { state: 'failing', problems };
  const isKnown = problems.length === 0 && readings.some(({ state }) => state === 'ok');
  return { state: isKnown ? 'ok' : 'unknown', problems };
}

/**
 * Merges the results from traffic and from Envoy's configuration. If the configuration is known to be right, a
 * suspicion that clients may have caused is dropped.
 */
export function mergeWiring(traffic: SelfTestResult, wiring: SelfTestResult | undefined): SelfTestResult {
  if (wiring === undefined) return traffic;
  return traffic.state === 'unknown' && wiring.state === 'ok' ? wiring : mergeReadings([wiring, traffic]);
}
