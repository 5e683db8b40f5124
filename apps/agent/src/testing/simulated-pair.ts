import type { MemberReport, RoleChange, Term } from '@flotilla/ha';
import { systemClock } from '@flotilla/kit';
import type { fleet } from '@flotilla/proto';
import type { CommandOutcome } from '../commands/outcome.ts';

type Role = MemberReport['role'];
type Index = 0 | 1;

/** Sends the report of a member to the controller. */
type Send = (report: MemberReport) => void;

interface Member {
  send: Send;
  pair: fleet.HaPair | undefined;
  services: ReadonlyMap<string, string>;
  role: Role;
  epoch: number;
  since: number;
  reason: string;
  isReady: boolean;
  isAlive: boolean;
  readonly changes: RoleChange[];
  readonly terms: Term[];
}

/** How long nobody has the addresses while they move. */
const GAP_MS = 120;
const BOUND_MS = 3000;
const LEASE_MS = 2000;

/**
 * Two members of an HA pair without hosts and daemons. They report what daemons would report, hand over when they are asked, and
 * refuse what daemons refuse. The link to the controller belongs to the caller.
 */
export class SimulatedPair {
  readonly #members: readonly [Member, Member] = [createMember(), createMember()];
  /** A hand-over waits until `finishHandover`. */
  isSlow = false;
  /** Why failovers are refused, whatever the members report. */
  refuses: string | undefined;
  #waiting: (() => void) | undefined;

  /** Connects a member. `send` is called with each report from then on. */
  attach(index: Index, send: Send): void {
    this.#members[index].send = send;
  }

  /** Takes the pair that the controller wants. */
  setDesired(index: Index, state: fleet.DesiredState): void {
    const member = this.#members[index];
    member.pair = state.ha;
    member.services = new Map(state.services.map(({ serviceId, name }) => [serviceId, name]));
    if (!state.ha) this.#become(index, 'unpaired', 'started');
    else if (member.role === 'unpaired') this.#become(index, 'init', 'started');
    this.#elect();
    this.report();
  }

  /** Ends a command of the type HA; undefined: another command. */
  answer(index: Index, { type, subType, payloadJson }: fleet.Command): CommandOutcome | undefined {
    if (type !== 'HA') return undefined;
    const body = JSON.parse(Buffer.from(payloadJson).toString() || '{}') as { force?: boolean; enabled?: boolean };
    const refusal = this.#order(index, subType, { force: body.force === true, enabled: body.enabled === true });
    if (refusal !== undefined) return { outcome: 'refused', code: 'ha.refused', message: refusal };
    return { outcome: 'done', result: this.#describe(index) };
  }

  /** The member is not ready to serve, or is again. */
  setReady(index: Index, isReady: boolean): void {
    this.#members[index].isReady = isReady;
    this.report();
  }

  /** The host of the member dies. The other one takes over. */
  kill(index: Index): void {
    const member = this.#members[index];
    member.isAlive = false;
    const isHolder = member.role === 'active';
    const other = otherOf(index);
    if (isHolder) this.#takeOver(other, 'peer_dead', this.#deadMs(other));
    this.report();
  }

  /** A new host takes the place of a member. */
  revive(index: Index): void {
    Object.assign(this.#members[index], createMember());
  }

  finishHandover(): void {
    this.#waiting?.();
    this.#waiting = undefined;
  }

  /** Both members report, as they do every few seconds. */
  report(): void {
    for (const index of [0, 1] as const) {
      const member = this.#members[index];
      if (member.isAlive) member.send(this.#describe(index));
    }
  }

  /** A member that starts becomes active if nobody is and the other one, if there is one, has a lower priority. */
  #elect(): void {
    for (const index of [0, 1] as const) {
      const { role, pair } = this.#members[index];
      const other = this.#members[otherOf(index)];
      if (role !== 'init' || !pair) continue;
      if (this.#isServing(otherOf(index))) this.#become(index, 'standby', 'peer_heard');
      else if (!pair.hasPeer) this.#takeOver(index, 'vacancy');
      else if (other.pair && pair.priority > other.pair.priority) this.#takeOver(index, 'elected');
    }
    for (const index of [0, 1] as const)
      if (this.#members[index].role === 'init' && this.#isServing(otherOf(index)))
        this.#become(index, 'standby', 'peer_heard');
  }

  #order(index: Index, subType: string, { force, enabled }: { force: boolean; enabled: boolean }): string | undefined {
    switch (subType) {
      case 'SUB_FAILOVER':
        return this.#failOver(index, force);
      case 'SUB_MAINTENANCE':
        return this.#setMaintenance(index, enabled, force);
      default:
        return undefined;
    }
  }

  #failOver(index: Index, isForced: boolean): string | undefined {
    const other = this.#members[otherOf(index)];
    if (this.refuses !== undefined) return this.refuses;
    if (this.#members[index].role !== 'active') return 'not_active';
    if (!other.pair || !other.isAlive) return 'no_peer';
    if (other.role === 'maintenance') return 'peer_in_maintenance';
    if (!other.isReady && !isForced) return 'peer_not_ready';
    this.#handOver(index, 'asked_by_operator', 'standby');
    return undefined;
  }

  #setMaintenance(index: Index, isOn: boolean, isForced: boolean): string | undefined {
    const member = this.#members[index];
    if (!isOn) {
      this.#become(index, 'standby', 'maintenance');
    } else if (member.role === 'active' && this.#members[otherOf(index)].isReady) {
      this.#handOver(index, 'maintenance', 'maintenance');
    } else if (member.role === 'active' && !isForced) {
      return 'peer_not_ready';
    } else {
      this.#become(index, 'maintenance', 'maintenance');
    }
    this.report();
    return undefined;
  }

  #handOver(index: Index, reason: string, next: Role): void {
    this.#become(index, 'demoting', reason);
    this.report();
    const finish = () => {
      this.#takeOver(otherOf(index), 'handover');
      this.#become(index, next, reason);
      this.report();
    };
    if (this.isSlow) this.#waiting = finish;
    else finish();
  }

  /** Begins a term, `GAP_MS` after the previous holder has lost the addresses. */
  #takeOver(index: Index, reason: string, silentMs: number | null = null): void {
    const now = systemClock.now();
    const other = this.#members[otherOf(index)];
    const last = other.terms.at(-1);
    // A member that has died does not know when it lost the addresses.
    if (last && last.released_at === null && other.isAlive)
      other.terms.splice(-1, 1, { ...last, released_at: toTime(now - GAP_MS) });
    const member = this.#members[index];
    member.epoch = Math.max(member.epoch, other.epoch) + 1;
    this.#become(index, 'active', reason, silentMs);
    member.terms.push({ epoch: member.epoch, raised_at: toTime(now), released_at: null });
  }

  #become(index: Index, role: Role, reason: string, silentMs: number | null = null): void {
    const member = this.#members[index];
    if (member.role === role) return;
    const other = this.#members[otherOf(index)];
    const at = systemClock.now();
    member.changes.push({
      at: toTime(at),
      from: member.role,
      role,
      epoch: member.epoch,
      reason,
      peer_role: other.isAlive && other.pair ? other.role : null,
      peer_epoch: other.isAlive && other.pair ? other.epoch : null,
      gateway_reachable: true,
      silent_ms: silentMs,
    });
    Object.assign(member, { role, reason, since: at });
  }

  #describe(index: Index): MemberReport {
    const member = this.#members[index];
    const other = this.#members[otherOf(index)];
    const isHeard = other.isAlive && other.pair !== undefined;
    const { pair } = member;
    return {
      role: member.role,
      epoch: member.epoch,
      since: toTime(member.since),
      reason: member.reason,
      daemon: 'running',
      peer_role: isHeard ? other.role : null,
      peer_ok: isHeard,
      paths: describePaths(member, isHeard),
      peer_dataplane: describeDataplane(isHeard, other.isReady),
      gateway_reachable: true,
      fencing_enabled: (pair?.fenceTargets.length ?? 0) > 0,
      config_rev_applied: Number(pair?.configRev ?? 0n),
      maintenance: member.role === 'maintenance',
      vips: describeAddresses(member, isHeard && other.role === 'active'),
      daemon_version: '0.1.0',
      clock_skew_ms: 0,
      alarms: listAlarms(member, isHeard),
      pair_id: pair?.pairId ?? null,
      peer_config_rev: isHeard ? Number(other.pair?.configRev ?? 0n) : null,
      rejected: {},
      changes: [...member.changes],
      terms: [...member.terms],
      bound_ms: BOUND_MS,
      lease_ms: LEASE_MS,
    };
  }

  #isServing(index: Index): boolean {
    const { role, isAlive } = this.#members[index];
    return isAlive && (role === 'active' || role === 'demoting');
  }

  #deadMs(index: Index): number {
    const { pair } = this.#members[index];
    return (pair?.intervalMs ?? 0) * (pair?.misses ?? 0);
  }
}

function createMember(): Member {
  return {
    send: () => undefined,
    pair: undefined,
    services: new Map(),
    role: 'unpaired',
    epoch: 0,
    since: systemClock.now(),
    reason: 'started',
    isReady: true,
    isAlive: true,
    changes: [],
    terms: [],
  };
}

const otherOf = (index: Index): Index => (index === 0 ? 1 : 0);

const toTime = (ms: number): string => new Date(ms).toISOString();

function describeDataplane(isHeard: boolean, isReady: boolean): MemberReport['peer_dataplane'] {
  if (!isHeard) return 'unknown';
  return isReady ? 'up' : 'down';
}

function describePaths({ pair }: Member, isHeard: boolean): MemberReport['paths'] {
  return (pair?.paths ?? [])
    .filter(({ peer }) => peer !== '')
    .map(({ network, local, peer }) => ({
      network: network === 'mgmt' ? 'mgmt' : 'data',
      local,
      peer,
      up: isHeard,
      last_rx_ms: isHeard ? 87 : null,
      loss_pct: isHeard ? 0.5 : 100,
      rtt_ms: isHeard ? 0.8 : null,
    }));
}

function describeAddresses({ pair, role, isReady, services }: Member, isWithPeer: boolean): MemberReport['vips'] {
  const isHeld = role === 'active';
  const holder = isHeld ? 'self' : isWithPeer ? 'peer' : 'none';
  return (pair?.addresses ?? []).map(({ address, serviceId }) => ({
    vip: address,
    interface: 'eth0',
    service_id: serviceId === '' ? null : serviceId,
    service: services.get(serviceId) ?? null,
    admin_port: null,
    unit: null,
    present: services.has(serviceId),
    healthy: isReady,
    held: isHeld,
    ready: isReady && services.has(serviceId),
    holder,
  }));
}

function listAlarms({ pair }: Member, isHeard: boolean): MemberReport['alarms'] {
  if (!pair?.hasPeer) return [];
  const noFence = {
    code: 'no_fencing',
    level: 'warn',
    message: 'Without a fence target, both members may serve if they cannot hear each other.',
  } as const;
  const silent = { code: 'path_down', level: 'warn', message: 'The peer is not heard on the data network.' } as const;
  return [...(pair.fenceTargets.length === 0 ? [noFence] : []), ...(isHeard ? [] : [silent])];
}
