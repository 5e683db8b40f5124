import type { Rollout, RolloutNode } from '@flotilla/contract';
import type { StoredReport, StoredResource } from '../services/index.ts';

export type NodeState = RolloutNode['state'];

/** What a node must run to run a change. Digests are of the bytes that it is sent: equal digests are equal content. */
export interface Wanted {
  /** Resources that hold content of what was changed. */
  readonly resources: ReadonlyArray<{ readonly type: string; readonly name: string; readonly version: string }>;
  /** Nothing else may be there: for changes of a service, which can take resources away. */
  readonly isComplete: boolean;
  /** Undefined: the change is no part of it. */
  readonly bootstrapDigest: string | undefined;
  readonly policyDigest: string | undefined;
  /** Why it cannot be made for this node; what the node was sent before stays. */
  readonly problem: string | undefined;
  /** When the change was written: what a node said of itself before is not about it. */
  readonly changedAt: Date;
}

/** What the node was to run before the change: what is equal in both is refused for older reasons, if at all. */
export type Before = Pick<Wanted, 'resources' | 'bootstrapDigest' | 'policyDigest'>;

/** What an agent has said of a node. */
export interface Reported {
  readonly connected: boolean;
  readonly runState: 'running' | 'stopped';
  readonly phase: string | null;
  readonly policyDigest: string | null;
  readonly report: StoredReport | undefined;
  readonly reportedAt: Date | null;
  readonly resources: readonly StoredResource[];
  readonly rolloutAt: Date | null;
}

export interface Standing {
  readonly state: NodeState;
  readonly reason: string | null;
  readonly since: Date | null;
}

/** The worst first: a node stands where its worst part stands. */
const ORDER: readonly NodeState[] = ['refused', 'held', 'offline', 'waiting', 'sent', 'acknowledged', 'warmed'];

/**
 * Where a change stands on a node. `warmed` only when every part runs there with the very content that is wanted, as the agent has
 * said; a report that is older than the change names other digests, and so counts for nothing. Parts that did not change are
 * equal already. With `before`, refusals of what the change has not touched are told in `reason`, and are not refusals of the
 * change.
 */
export function deriveStanding(wanted: Wanted, reported: Reported, before?: Before): Standing {
  const parts = listParts(wanted, reported, before);
  const older = parts.filter(({ what, state }) => what !== undefined && isStopped(state));
  const standing = deriveWorst(
    parts.filter((part) => !older.includes(part)),
    reported,
  );
  const [first] = older;
  if (!first || isStopped(standing.state)) return standing;
  const refusal = `An older refusal stands, which is not of this change: ${first.what}: ${first.reason ?? first.state}`;
  return { ...standing, reason: standing.reason === null ? refusal : `${standing.reason}. ${refusal}` };
}

/** `what`: the part's name where it is the same as before the change. */
type Part = Standing & { readonly what?: string | undefined };

function listParts(wanted: Wanted, reported: Reported, before: Before | undefined): Part[] {
  const { problem, bootstrapDigest, policyDigest } = wanted;
  const known = new Set(before?.resources.map(({ type, name, version }) => `${type} ${name} ${version}`));
  return [
    ...(problem === undefined ? [] : [{ state: 'refused' as const, reason: problem, since: null }]),
    ...wanted.resources.map((resource) => ({
      ...deriveResource(resource, reported),
      what: known.has(`${resource.type} ${resource.name} ${resource.version}`) ? resource.name : undefined,
    })),
    ...(wanted.isComplete ? deriveRemovals(wanted, reported) : []),
    ...(bootstrapDigest === undefined
      ? []
      : [
          {
            ...deriveBootstrap(wanted, reported),
            what: before?.bootstrapDigest === bootstrapDigest ? 'bootstrap' : undefined,
          },
        ]),
    ...(policyDigest === undefined
      ? []
      : [{ ...derivePolicy(wanted, reported), what: before?.policyDigest === policyDigest ? 'policies' : undefined }]),
  ];
}

export function isStopped(state: NodeState): boolean {
  return state === 'refused' || state === 'held';
}

function deriveWorst(parts: readonly Part[], reported: Reported): Standing {
  const part = parts.toSorted((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state))[0];
  const worst = part && { state: part.state, reason: part.reason, since: part.since };
  if (!worst) return { state: 'warmed', reason: null, since: reported.rolloutAt ?? reported.reportedAt };
  if (isStopped(worst.state)) return worst;
  if (reported.runState === 'stopped') {
    return { ...worst, state: 'offline', reason: 'the service is stopped there and takes the change when it starts' };
  }
  if (worst.state === 'warmed' || reported.connected) return worst;
  return { ...worst, state: 'offline', reason: 'the client is not connected and takes the change when it comes back' };
}

function deriveResource(
  wanted: { readonly type: string; readonly name: string; readonly version: string },
  { resources, rolloutAt: since }: Reported,
): Standing {
  const told = resources.find(({ type, name }) => type === wanted.type && name === wanted.name);
  if (!told) return { state: 'waiting', reason: null, since: null };
  const isAboutThis = told.version === wanted.version;
  const isMoving = told.state === 'waiting' || told.state === 'sent' || told.state === 'unspecified';
  // Another version on its way would replace it: it runs today's content, but not for long.
  if (told.live_version === wanted.version && (isAboutThis || !isMoving)) {
    return { state: 'warmed', reason: null, since };
  }
  if (!isAboutThis || told.state === 'unspecified') return { state: 'waiting', reason: null, since: null };
  // In use it is what Envoy runs, which is something else as yet.
  return { state: told.state === 'warmed' ? 'acknowledged' : told.state, reason: told.reason, since };
}

function deriveRemovals(wanted: Wanted, { resources, rolloutAt: since }: Reported): Standing[] {
  const names = new Set(wanted.resources.map(({ type, name }) => `${type} ${name}`));
  const isThere = resources.some(({ type, name }) => !names.has(`${type} ${name}`));
  return isThere ? [{ state: 'waiting', reason: null, since }] : [];
}

function deriveBootstrap({ bootstrapDigest, changedAt }: Wanted, reported: Reported): Standing {
  const { report, reportedAt: since, phase } = reported;
  if (report?.bootstrap_digest === bootstrapDigest) {
    return { state: phase === 'running' ? 'warmed' : 'acknowledged', reason: null, since };
  }
  return deriveRefusal(report?.error ?? null, { changedAt, since });
}

function derivePolicy({ policyDigest, changedAt }: Wanted, reported: Reported): Standing {
  const { report, reportedAt: since } = reported;
  if (reported.policyDigest === policyDigest) {
    return { state: report?.shield_running === true ? 'warmed' : 'acknowledged', reason: null, since };
  }
  return deriveRefusal(report?.policy_error ?? null, { changedAt, since });
}

/** A complaint from before the change is about something else. */
function deriveRefusal(complaint: string | null, at: { changedAt: Date; since: Date | null }): Standing {
  const isNews = complaint !== null && at.since !== null && at.since > at.changedAt;
  if (isNews) return { state: 'refused', reason: complaint, since: at.since };
  return { state: 'waiting', reason: null, since: null };
}

type Counts = Rollout['counts'];

export function countStates(states: readonly NodeState[]): Counts {
  const counts: Counts = {
    total: states.length,
    waiting: 0,
    sent: 0,
    acknowledged: 0,
    warmed: 0,
    refused: 0,
    held: 0,
    offline: 0,
  };
  for (const state of states) counts[state] += 1;
  return counts;
}

/** Of all nodes together; see `ROLLOUT_STATES`. */
export function deriveState(counts: Counts): Pick<Rollout, 'state' | 'settled'> {
  const { total, warmed, refused, held, offline, sent, acknowledged } = counts;
  const settled = warmed + refused + held + offline === total;
  if (total === 0) return { state: 'unreached', settled };
  if (refused + held > 0) return { state: 'refused', settled };
  if (warmed === total) return { state: 'live', settled };
  return { state: warmed + sent + acknowledged > 0 ? 'in_progress' : 'waiting', settled };
}

/** For lists: what needs somebody's attention first. */
export function compareStates(a: NodeState, b: NodeState): number {
  return ORDER.indexOf(a) - ORDER.indexOf(b);
}
