import type { Rollout, RolloutNode } from '@flotilla/contract';
import type { StoredReport, StoredResource } from '../services/index.ts';

export type NodeState = RolloutNode['state'];

/**
 * The content that a node must run for a change to be live. Digests are computed from the sent bytes: equal digests
 * mean equal content.
 */
export interface DesiredContent {
  /** Resources with content of the changed object. */
  readonly resources: ReadonlyArray<{ readonly type: string; readonly name: string; readonly version: string }>;
  /** No other resource may exist: for changes of a service, which can remove resources. */
  readonly isComplete: boolean;
  /** undefined: not affected by the change. */
  readonly bootstrapDigest: string | undefined;
  readonly policyDigest: string | undefined;
  /** Why it cannot be built for this node, which keeps its previous content. */
  readonly problem: string | undefined;
  /** When the change was written: earlier reports of a node are not about it. */
  readonly changedAt: Date;
}

/**
 * The content that the node was supposed to run before the change. A refusal of content that is equal in both is not
 * caused by the change.
 */
export type Before = Pick<DesiredContent, 'resources' | 'bootstrapDigest' | 'policyDigest'>;

/** The agent's report about a node. */
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

export interface NodeProgress {
  readonly state: NodeState;
  readonly reason: string | null;
  readonly since: Date | null;
}

/** The worst first: a node has the state of its worst part. */
const ORDER: readonly NodeState[] = ['refused', 'held', 'offline', 'waiting', 'sent', 'acknowledged', 'warmed'];

/**
 * Compares a change with a node's reports. `warmed` requires that every part runs with exactly the wanted content
 * according to the agent; a report older than the change contains other digests and so does not count. Unchanged parts
 * are equal already. With `before`, refusals of parts that the change did not touch only appear in `reason`.
 */
export function deriveNodeProgress(wanted: DesiredContent, reported: Reported, before?: Before): NodeProgress {
  const parts = listParts(wanted, reported, before);
  const older = parts.filter(({ what, state }) => what !== undefined && isStopped(state));
  const progress = deriveWorst(
    parts.filter((part) => !older.includes(part)),
    reported,
  );
  const [first] = older;
  if (!first || isStopped(progress.state)) return progress;
  const refusal = `An older refusal stands, which is not of this change: ${first.what}: ${first.reason ?? first.state}`;
  return { ...progress, reason: progress.reason === null ? refusal : `${progress.reason}. ${refusal}` };
}

/** `what`: the name of a part that the change did not touch. */
type Part = NodeProgress & { readonly what?: string | undefined };

function listParts(wanted: DesiredContent, reported: Reported, before: Before | undefined): Part[] {
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

function deriveWorst(parts: readonly Part[], reported: Reported): NodeProgress {
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
): NodeProgress {
  const resource = resources.find(({ type, name }) => type === wanted.type && name === wanted.name);
  if (!resource) return { state: 'waiting', reason: null, since: null };
  const isAboutThis = resource.version === wanted.version;
  const isMoving = resource.state === 'waiting' || resource.state === 'sent' || resource.state === 'unspecified';
  // Another version is being sent and would replace it: the wanted content runs, but not for long.
  if (resource.live_version === wanted.version && (isAboutThis || !isMoving)) {
    return { state: 'warmed', reason: null, since };
  }
  if (!isAboutThis || resource.state === 'unspecified') return { state: 'waiting', reason: null, since: null };
  // Envoy still uses another version.
  return { state: resource.state === 'warmed' ? 'acknowledged' : resource.state, reason: resource.reason, since };
}

function deriveRemovals(wanted: DesiredContent, { resources, rolloutAt: since }: Reported): NodeProgress[] {
  const names = new Set(wanted.resources.map(({ type, name }) => `${type} ${name}`));
  const isThere = resources.some(({ type, name }) => !names.has(`${type} ${name}`));
  return isThere ? [{ state: 'waiting', reason: null, since }] : [];
}

function deriveBootstrap({ bootstrapDigest, changedAt }: DesiredContent, reported: Reported): NodeProgress {
  const { report, reportedAt: since, phase } = reported;
  if (report?.bootstrap_digest === bootstrapDigest) {
    return { state: phase === 'running' ? 'warmed' : 'acknowledged', reason: null, since };
  }
  return deriveRefusal(report?.error ?? null, { changedAt, since });
}

function derivePolicy({ policyDigest, changedAt }: DesiredContent, reported: Reported): NodeProgress {
  const { report, reportedAt: since } = reported;
  if (reported.policyDigest === policyDigest) {
    return { state: report?.shield_running === true ? 'warmed' : 'acknowledged', reason: null, since };
  }
  return deriveRefusal(report?.policy_error ?? null, { changedAt, since });
}

/** A complaint from before the change is about something else. */
function deriveRefusal(complaint: string | null, at: { changedAt: Date; since: Date | null }): NodeProgress {
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

/** The state of all nodes together; see `ROLLOUT_STATES`. */
export function deriveState(counts: Counts): Pick<Rollout, 'state' | 'settled'> {
  const { total, warmed, refused, held, offline, sent, acknowledged } = counts;
  const settled = warmed + refused + held + offline === total;
  if (total === 0) return { state: 'unreached', settled };
  if (refused + held > 0) return { state: 'refused', settled };
  if (warmed === total) return { state: 'live', settled };
  return { state: warmed + sent + acknowledged > 0 ? 'in_progress' : 'waiting', settled };
}

/** Sorts what needs attention first. */
export function compareStates(a: NodeState, b: NodeState): number {
  return ORDER.indexOf(a) - ORDER.indexOf(b);
}
