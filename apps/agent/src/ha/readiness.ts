import { fleet } from '@flotilla/proto';

/** The state of a service behind an address, for the daemon. */
export interface ServiceState {
  readonly service_id: string;
  readonly present: boolean;
  readonly healthy: boolean;
  readonly ready: boolean;
}

export interface ReadinessFacts {
  /** The services behind the shared addresses, by the id under which the daemon knows them. */
  readonly groups: ReadonlyMap<string, readonly string[]>;
  readonly desired: readonly fleet.DesiredService[];
  readonly reports: readonly fleet.NodeReport[];
  /** The state of the newest snapshot of each service. */
  readonly rollouts: ReadonlyMap<string, fleet.RolloutState>;
  readonly isActive: boolean;
  /** Monotonic, in milliseconds. */
  readonly now: number;
}

/** How long a service stays ready that runs but lags behind its configuration: longer on the member with the addresses. */
export const LAG_MS = { active: 10_000, other: 3_000 } as const;
/** How long a service of a member without the addresses must have been current before it counts as ready. */
export const HOLD_MS = 3_000;
/** After this time, what the agent has not heard of a service since it started counts against it. */
export const START_MS = 30_000;

interface Memory {
  readonly isReady: boolean;
  readonly isCurrent: boolean;
  /** Since when `isCurrent` has had its value. */
  readonly since: number;
}

/**
 * Decides which services are ready.
 *
 * A service that does not run as desired is not ready at once. One that runs, but not yet with its newest configuration, keeps what it
 * was for a while: a change for both members must not move the addresses, so the member with the addresses waits longer before it
 * gives up, and the other one waits before it offers itself.
 *
 * A restarted agent hears of its services one by one. Until it has heard of all, or for `START_MS`, it decides nothing, and the
 * daemon keeps what it knows from the earlier agent.
 */
export class Readiness {
  readonly #memory = new Map<string, Memory>();
  #startedAt: number | undefined;

  /** Undefined: nothing is decided yet. */
  derive(facts: ReadinessFacts): ServiceState[] | undefined {
    const { groups, now } = facts;
    this.#startedAt ??= now;
    const members = [...groups.values()].flat();
    for (const id of this.#memory.keys()) if (!members.includes(id)) this.#memory.delete(id);
    const isStarting = now - this.#startedAt < START_MS;
    const looks = new Map(members.map((id) => [id, look(id, facts)] as const));
    if (isStarting && [...looks].some(([id, one]) => !this.#memory.has(id) && one.isUnheard)) return undefined;
    const states = new Map([...looks].map(([id, one]) => [id, this.#decide(id, one, facts)] as const));
    return [...groups].map(([service_id, ids]) => {
      const all = ids.flatMap((id) => states.get(id) ?? []);
      return {
        service_id,
        present: all.every(({ present }) => present),
        healthy: all.every(({ healthy }) => healthy),
        ready: all.every(({ ready }) => ready),
      };
    });
  }

  #decide(id: string, seen: Look, { isActive, now }: ReadinessFacts): Omit<ServiceState, 'service_id'> {
    const { present, healthy, isStopped, isCurrent } = seen;
    const before = this.#memory.get(id);
    const since = before?.isCurrent === isCurrent ? before.since : now;
    const ready = decideReady({ before, isActive, isCurrent, lastedMs: now - since });
    const isReady = isStopped || (healthy && ready);
    this.#memory.set(id, { isReady, isCurrent, since });
    return { present, healthy, ready: isReady };
  }
}

function decideReady(facts: {
  readonly before: Memory | undefined;
  readonly isActive: boolean;
  readonly isCurrent: boolean;
  readonly lastedMs: number;
}): boolean {
  const { before, isActive, isCurrent, lastedMs } = facts;
  if (!before) return isCurrent;
  if (isCurrent) return before.isReady || isActive || lastedMs >= HOLD_MS;
  return before.isReady && lastedMs < LAG_MS[isActive ? 'active' : 'other'];
}

interface Look {
  readonly present: boolean;
  readonly healthy: boolean;
  /** The operator wants it stopped, and it is. It moves with the others. */
  readonly isStopped: boolean;
  /** It runs with its newest configuration. */
  readonly isCurrent: boolean;
  /** It should run, and there is no sign yet that it does, or that it cannot. */
  readonly isUnheard: boolean;
}

function look(id: string, { desired, reports, rollouts }: ReadinessFacts): Look {
  const wanted = desired.find(({ serviceId }) => serviceId === id);
  const report = reports.find(({ serviceId, removed }) => serviceId === id && !removed);
  if (!wanted) return { present: false, healthy: false, isStopped: false, isCurrent: false, isUnheard: false };
  const isStopped = wanted.runState === fleet.RunState.STOPPED && report?.phase === fleet.NodePhase.STOPPED;
  const healthy = report !== undefined && isHealthy(wanted, report);
  const isCurrent =
    healthy && report.generation >= wanted.generation && isLoaded(wanted, report) && isLive(id, rollouts);
  const hasFailed = report?.phase === fleet.NodePhase.FAILED;
  return {
    present: report !== undefined,
    healthy,
    isStopped,
    isCurrent,
    isUnheard: !isCurrent && !isStopped && !hasFailed,
  };
}

/** Envoy runs and, if the service has one, so does its filter. */
function isHealthy({ shield }: fleet.DesiredService, report: fleet.NodeReport): boolean {
  return report.phase === fleet.NodePhase.RUNNING && report.envoyPid !== 0 && (!shield || report.shieldRunning);
}

function isLoaded({ shield }: fleet.DesiredService, { policyDigest, policyError }: fleet.NodeReport): boolean {
  return !shield?.bundle || (policyError === '' && policyDigest === shield.bundle.digest);
}

function isLive(id: string, rollouts: ReadinessFacts['rollouts']): boolean {
  return rollouts.get(id) === fleet.RolloutState.LIVE;
}
