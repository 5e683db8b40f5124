import type { SelfTestSignals } from './wiring-signals.ts';

export type SelfTestState = 'ok' | 'unknown' | 'failing';

/** What `/configz` says under `self_test`. Problems are sentences for people; empty unless the state is `failing`. */
export interface SelfTestReading {
  readonly state: SelfTestState;
  readonly problems: readonly string[];
}

/** Signs that only a wrong configuration gives, in a row. */
const CERTAIN_IN_A_ROW = 3;
/** Exchanges in a row that ended while the body was awaited: clients that go away look the same. */
const ABANDONED_IN_A_ROW = 10;
/** The same where bodies have come before: who wants to talk the filter into failing has to outdo all honest uploads. */
const ABANDONED_IN_A_ROW_AFTER_BODIES = 200;
/**
 * How long such exchanges are held against Envoy when no more of them come. A filter that is taken out of service for what
 * clients did would never see the upload that clears it.
 */
const ABANDONED_REMEMBERED_MS = 300_000;

export const NO_BODY =
  'Envoy does not send the request bodies that the filter asks for: the ext_proc filter needs allow_mode_override: true and no allowed_override_modes';
export const CUT_BODY =
  'Envoy cuts request bodies before max_request_body_bytes of the policy: per_connection_buffer_limit_bytes of the listener must be larger';
export const NO_HEADERS =
  'Envoy does not send the headers of requests: the ext_proc filter needs processing_mode.request_header_mode: SEND';

/**
 * Notices from the traffic that Envoy is wired so that the filter cannot do its work. The state of each of three things
 * (bodies that stay out, bodies that are cut below the cap, exchanges without the request's headers):
 *
 * - *unknown*: nothing has been seen yet that tells. Requests that need no body tell nothing about bodies.
 * - *ok*: what was asked for came. Entered at each body that comes as asked, also from *failing*, so that a repaired
 *   listener is noticed.
 * - *failing*: what was asked for stayed out several times in a row. One that comes in between begins the row anew: a
 *   client that breaks off its uploads does no harm where others finish theirs.
 *
 * What clients alone can bring about, exchanges that end while the body is awaited, is forgotten some minutes after the last.
 *
 * The whole is failing when one of them is, else ok when one of them is, else unknown. What traffic cannot tell:
 * `failure_mode_allow` (an Envoy that lets requests pass while the filter is away looks like any other while it is there)
 * and requests that Envoy never asks about.
 */
export class SelfTest implements SelfTestSignals {
  readonly #onChange: (reading: SelfTestReading) => void;
  #state: SelfTestState = 'unknown';
  #sawBody = false;
  #missing = 0;
  #abandoned = 0;
  #forgetAbandoned: NodeJS.Timeout | undefined;
  #cut = 0;
  #headless = 0;

  constructor(onChange: (reading: SelfTestReading) => void = () => undefined) {
    this.#onChange = onChange;
  }

  get reading(): SelfTestReading {
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
    if (this.#state === 'ok' && this.#missing === 0 && this.#abandoned === 0 && this.#cut === 0) return;
    this.#sawBody = true;
    this.#missing = 0;
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

  onBodyAbandoned(): void {
    this.#abandoned += 1;
    this.#settle();
    if (this.#abandoned < this.#abandonedMax) return;
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
    const state = this.#problems().length > 0 ? 'failing' : this.#sawBody ? 'ok' : 'unknown';
    if (state === this.#state) return;
    this.#state = state;
    this.#onChange(this.reading);
  }

  get #abandonedMax(): number {
    return this.#sawBody ? ABANDONED_IN_A_ROW_AFTER_BODIES : ABANDONED_IN_A_ROW;
  }

  #problems(): string[] {
    const problems: string[] = [];
    if (this.#headless >= CERTAIN_IN_A_ROW) problems.push(NO_HEADERS);
    if (this.#missing >= CERTAIN_IN_A_ROW || this.#abandoned >= this.#abandonedMax) problems.push(NO_BODY);
    if (this.#cut >= CERTAIN_IN_A_ROW) problems.push(CUT_BODY);
    return problems;
  }
}

/** The reading of several threads as one: each sees a part of the traffic. */
export function mergeReadings(readings: readonly SelfTestReading[]): SelfTestReading {
  const problems = [...new Set(readings.flatMap((reading) => reading.problems))];
  const has = (state: SelfTestState) => readings.some((reading) => reading.state === state);
  return { state: has('failing') ? 'failing' : has('ok') ? 'ok' : 'unknown', problems };
}
