import { type BlockVerdict, type Grant, UNLIMITED } from '@flotilla/engines';
import { type Clock, systemClock } from '@flotilla/kit';
import {
  DomainIndex,
  type EffectiveDomain,
  type LoadedPolicies,
  type PathReadings,
  PolicyIndex,
} from '@flotilla/policy';
import { ReceivedBody } from '../body/received-body.ts';
import { Decision, type Finding } from '../decision.ts';
import { buildRuntime } from '../runtime-builder.ts';
import { type BlockTelling, describeBlock, isTellableRequestId } from './block-answer.ts';
import { clip } from './clip.ts';
import { describeEngines, type TracedDecision } from './describe-engines.ts';
import type {
  ExplainedBody,
  ExplainedFinding,
  ExplainedGrant,
  ExplainedMatch,
  ExplainedReading,
  Explanation,
} from './explanation.ts';
import { coversHost, describeDomain, findOtherDomains, findOtherRoutes } from './near-misses.ts';
import { summarize } from './summary.ts';
import { TracedEngine } from './traced-engine.ts';
import { TrialLimiters } from './trial-limiters.ts';
import type { TrialRequest } from './trial-request.ts';
import { bodyOfTrial, TrialView } from './trial-view.ts';

export interface ExplainOptions {
  /** Time of the trial, which decides whether tokens have expired. Default: the current time. */
  readonly clock?: Clock;
}

const ANALYSES_SHOWN_MAX = 32;
/** A single request touches one bucket per limiter. */
const LIMITERS_MAX_BYTES = 2 ** 24;

/**
 * Explains what a bundle would decide for a request, and why. Runs the decision with the filter's own code, and then
 * asks the engines that the decision skipped. Creates its own engines, so no live state is touched and limiters have
 * fresh buckets. Pure except for the clock; throws only on a bug.
 */
export function explainRequest(
  loaded: LoadedPolicies,
  request: TrialRequest,
  options: ExplainOptions = {},
): Explanation {
  const { clock = systemClock } = options;
  const view = new TrialView(request);
  const matched = findDomains(loaded, view.hosts ?? [view.host]);
  const domains = [...new Set(matched.map(({ domain }) => domain))];
  const limiters = new TrialLimiters(LIMITERS_MAX_BYTES);
  const runtime = buildRuntime(
    { ...loaded, domains },
    { nowMs: clock.now(), compile: (block) => new TracedEngine(block, clock, limiters) },
  );
  const findings: Finding[] = [];
  const decision = new Decision(runtime, {
    onFinding: (finding) => findings.push(finding),
    onEngineError: () => undefined,
  });
  const bytes = bodyOfTrial(request);
  const received = bytes && new ReceivedBody({ bytes, isComplete: true, encodings: view.header('content-encoding') });
  const headers = decision.decideHeaders(view, received !== undefined);
  const block = headers === 'body' && received !== undefined ? decision.decideBody(view, received) : blockOf(headers);
  const decisive = block === undefined ? undefined : findings.find(({ outcome }) => outcome === 'blocked');

  const isSettled = typeof headers === 'object';
  const policies = runtime.index.findPolicies(view);
  const traced = describeEngines({ policies, domains, view, received, findings, decisive, isSettled });
  const match = describeMatch(loaded, matched, view);
  return {
    verdict: block === undefined ? 'allowed' : 'blocked',
    decisive: decisive === undefined ? null : describeFinding(decisive),
    answer: block === undefined ? null : describeBlock(block, tellingOf(decision, view)),
    grants: block === undefined ? decision.grants.map(describeGrant) : [],
    summary: summarize({ match, findings, decisive, awaitsBody: traced.awaitsBody }),
    digest: loaded.digest,
    request: {
      method: view.method,
      host: clip(view.host),
      path: clip(view.rawPath),
      has_query: view.query !== '',
      readings: view.paths.texts.slice(0, ANALYSES_SHOWN_MAX).map(clip),
      source_ip: view.sourceIp,
      source_ip_from: view.sourceIpFrom,
    },
    match,
    engines: traced.engines,
    body: describeBody(traced, bytes && received && { bytes, read: received }, isSettled),
  };
}

function tellingOf(decision: Decision, view: TrialView): BlockTelling {
  const [id = ''] = view.header('x-request-id');
  return { response: decision.blockResponse, requestId: isTellableRequestId(id) ? id : '' };
}

/** A domain, and a reading of the host that it covers. */
interface MatchedDomain {
  readonly domain: EffectiveDomain;
  readonly host: string;
}

function findDomains(loaded: LoadedPolicies, hosts: readonly string[]): readonly MatchedDomain[] {
  // Leaves out domains that cover none of the hosts: they cannot match, and an index of ten thousand takes too long to
  // build for one request.
  const covering = loaded.domains.filter((domain) => hosts.some((host) => coversHost(domain, host)));
  const index = new PolicyIndex(covering, (policy) => policy);
  const byPolicy = new Map(covering.map((domain) => [domain.policy, domain]));
  return hosts.flatMap((host) => {
    // No prefix covers the empty path, so this finds the domain's own policy, which identifies the domain.
    const policy = index.findDomain(host)?.findPolicy('');
    const domain = policy && byPolicy.get(policy);
    return domain === undefined ? [] : [{ domain, host }];
  });
}

function blockOf(outcome: BlockVerdict | 'allow' | 'body'): BlockVerdict | undefined {
  return typeof outcome === 'object' ? outcome : undefined;
}

function describeMatch(loaded: LoadedPolicies, matched: readonly MatchedDomain[], view: TrialView): ExplainedMatch {
  const [first] = matched;
  const domains = new Set(matched.map(({ domain }) => domain));
  const other_domains = findOtherDomains(loaded.domains, domains, view.host);
  if (first === undefined) return { domain: null, other_domains, readings: [], other_routes: [] };
  const readings = [...domains].flatMap((domain, n) => describeReadings(domain, view.paths, n === 0));
  return {
    domain: describeDomain(first.domain, first.host),
    other_domains,
    readings: readings
      .slice(0, ANALYSES_SHOWN_MAX)
      .map(({ path, is_router, route }) => ({ path: clip(path), is_router, route: route && clip(route) })),
    other_routes: findOtherRoutes(first.domain, view.paths.texts, new Set(readings.map(({ route }) => route))),
  };
}

/** A reading may match several routes: if prefixes differ from it only in capitals, and if it may be any path. */
function describeReadings(
  domain: EffectiveDomain,
  { texts, mayBeAny }: PathReadings,
  isRouters: boolean,
): ExplainedReading[] {
  const index = new DomainIndex<string | null>({
    hosts: [],
    policy: null,
    routes: domain.routes.map(({ pathPrefix }) => ({ pathPrefix, policy: pathPrefix })),
  });
  return (mayBeAny ? texts.slice(0, 1) : texts).flatMap((path, at) =>
    index
      .findPolicies({ texts: [path], mayBeAny })
      .map((route, n) => ({ path, is_router: isRouters && at === 0 && n === 0, route })),
  );
}

function describeFinding({ policy, engine, verdict }: Finding): ExplainedFinding {
  return {
    policy: policy.name,
    route: policy.pathPrefix ?? null,
    engine,
    reason: verdict.reason,
    severity: verdict.severity,
    status: verdict.status,
    detail: verdict.detail ?? null,
    subject: verdict.subject ?? null,
  };
}

function describeGrant(grant: Grant): ExplainedGrant {
  return {
    subject: grant.subject ?? null,
    remove_headers: [...(grant.removeHeaders ?? []), ...(grant.ownHeaders?.names ?? [])],
    set_headers: grant.setHeaders ?? [],
    remove_query_parameter: grant.removeQueryParameter ?? null,
  };
}

function describeBody(
  traced: TracedDecision,
  received: { readonly bytes: Buffer; readonly read: ReceivedBody } | undefined,
  isSettled: boolean,
): ExplainedBody {
  const { wantedBy, maxBytes } = traced;
  const sent = received?.bytes.length ?? null;
  const base = { sent_bytes: sent, decoded_bytes: null, wanted_by: wantedBy, max_bytes: maxBytes };
  if (received === undefined) return { ...base, state: 'none' };
  if (wantedBy.length === 0) return { ...base, state: 'not_wanted' };
  const body = traced.foreseen ?? received.read.read(maxBytes, UNLIMITED);
  if (body === 'body.too_large') return { ...base, state: 'too_large' };
  if (body === 'body.undecodable') return { ...base, state: 'undecodable' };
  return { ...base, decoded_bytes: body.length, state: isSettled ? 'blocked_before' : 'read' };
}
