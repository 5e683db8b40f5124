import { type EffectivePolicy, formatHostPattern, type LoadedPolicies, PolicyIndex } from '@flotilla/policy';
import { ReceivedBody } from '../body/received-body.ts';
import { Decision, type Finding } from '../decision.ts';
import { TrialLimiters } from '../explain/trial-limiters.ts';
import { bodyOfTrial } from '../explain/trial-view.ts';
import type { PolicyRuntime } from '../runtime.ts';
import { buildRuntime } from '../runtime-builder.ts';
import { PathDoubts } from './path-doubts.ts';
import { RecordClock } from './record-clock.ts';
import type { RecordedView } from './recorded-view.ts';
import { createReplayEngine, type Lack } from './replay-engine.ts';
import type { ReplayVerdict } from './report.ts';

/** Address space for the limiters of one replay; memory is used as clients appear. */
const LIMITERS_MAX_BYTES = 2 ** 29;

export interface Judgement {
  readonly verdict: ReplayVerdict;
  /** The reasons of all findings of mode `detect`, sorted. */
  readonly detections: string;
  readonly lacks: readonly Lack[];
  /** The policy of the domain, and its route; null if nothing covers the request. */
  readonly policy: string | null;
  readonly route: string | null;
}

/** The values of a path choose between routes, and the record has only its template. */
const LACKED_PATH = 'the values of the path';

export const ALLOWED: ReplayVerdict = {
  verdict: 'allowed',
  policy: null,
  route: null,
  engine: null,
  reason: null,
  severity: null,
  status: null,
};

/** Decides recorded requests by a bundle, in order, with limiters that use the times of the records. */
export class PolicyJudge {
  readonly #runtime: PolicyRuntime;
  readonly #clock = new RecordClock();
  readonly #labels: PolicyIndex<{ readonly policy: string; readonly route: string }>;
  readonly #doubts: PathDoubts;
  #lacks: Lack[] = [];

  constructor(loaded: LoadedPolicies) {
    const limiters = new TrialLimiters(LIMITERS_MAX_BYTES);
    this.#runtime = buildRuntime(loaded, {
      nowMs: 0,
      compile: (block) =>
        createReplayEngine(block, {
          clock: this.#clock,
          place: limiters.placeOf(block),
          onLack: (lack) => this.#lacks.push(lack),
        }),
    });
    this.#doubts = new PathDoubts(loaded.domains);
    const places = new Map<EffectivePolicy, string>();
    for (const { hosts, policy, routes } of loaded.domains) {
      const [first] = hosts;
      const host = first === undefined ? '' : `${formatHostPattern(first)}${hosts.length > 1 ? ',…' : ''}`;
      for (const holder of [policy, ...routes.map((route) => route.policy)]) places.set(holder, host);
    }
    this.#labels = new PolicyIndex(loaded.domains, (policy) => ({
      policy: policy.policyName,
      route: `${policy.policyName} ${places.get(policy) ?? ''} ${policy.pathPrefix ?? '*'}`,
    }));
  }

  /** False if the record is older than an earlier one, so limiters cannot use its time. */
  moveTo(timeMs: number): boolean {
    return this.#clock.moveTo(timeMs);
  }

  judge(view: RecordedView): Judgement {
    this.#lacks = [];
    const findings: Finding[] = [];
    const decision = new Decision(this.#runtime, {
      onFinding: (finding) => findings.push(finding),
      onEngineError: () => undefined,
    });
    const { carries, request } = view.record;
    const headers = decision.decideHeaders(view, carries.body !== 'none');
    const bytes = headers === 'body' ? bodyOfTrial(request) : undefined;
    if (bytes !== undefined) {
      const encodings = view.header('content-encoding');
      decision.decideBody(view, new ReceivedBody({ bytes, isComplete: true, encodings }));
    }
    if (carries.path === 'template' && this.#doubts.mayMatchMore(view.host, view.rawPath)) {
      this.#lacks.push({ engine: 'routes', what: LACKED_PATH });
    }
    const label = this.#labels.findDomain(view.host)?.findPolicy(view.paths.texts[0] ?? '/');
    const detected = findings.filter(({ outcome }) => outcome === 'detected');
    return {
      verdict: describeVerdict(findings.find(({ outcome }) => outcome === 'blocked') ?? detected[0]),
      detections: [...new Set(detected.map(({ verdict }) => verdict.reason))].sort().join(' '),
      lacks: this.#lacks,
      policy: label?.policy ?? null,
      route: label?.route ?? null,
    };
  }
}

function describeVerdict(finding: Finding | undefined): ReplayVerdict {
  if (finding === undefined) return ALLOWED;
  const { policy, engine, verdict, outcome } = finding;
  return {
    verdict: outcome === 'blocked' ? 'blocked' : 'detected',
    policy: policy.name,
    route: policy.pathPrefix ?? null,
    engine,
    reason: verdict.reason,
    severity: verdict.severity,
    status: verdict.status,
  };
}
