import type { EventQueue } from './event-queue.ts';
import type { SimulatedMember } from './simulated-member.ts';
import type { SimulatedNetwork } from './simulated-network.ts';
import { OVERLAP_MAX_MS, RECOVERY_MAX_MS, TIMING } from './timing.ts';

interface WatchOptions {
  readonly queue: EventQueue;
  readonly members: readonly [SimulatedMember, SimulatedMember];
  readonly network: SimulatedNetwork;
}

/** Notes every violation of what must hold for a pair. */
export class Watch {
  readonly violations: string[] = [];
  oneHolderAt = 0;
  /** When something last happened to a link or a member. */
  #faultAt = 0;
  longestOverlapMs = 0;
  readonly #queue: EventQueue;
  readonly #members: WatchOptions['members'];
  readonly #network: SimulatedNetwork;
  #overlapSince: number | undefined;
  /** Since when the assumption of the bound holds; undefined while it does not. */
  #assumedSince: number | undefined = 0;
  #checkedAt = 0;

  constructor({ queue, members, network }: WatchOptions) {
    this.#queue = queue;
    this.#members = members;
    this.#network = network;
  }

  /** Something has happened to this member, or to the network. */
  noteFault(member: SimulatedMember | undefined): void {
    if (member) member.aloneSince = this.#queue.now;
    this.#faultAt = this.#queue.now;
  }

  /** Checks a member that raises the addresses. */
  noteRaise(member: SimulatedMember): void {
    this.#checkTerm(member);
    this.#checkPeer(member);
  }

  /** Checks a member that renews its lease. */
  noteRenewal({ config, heldUntil }: SimulatedMember): void {
    const { now } = this.#queue;
    if (heldUntil < now)
      this.violations.push(`${config.slot} renews what the kernel has removed at ${Math.round(now)}`);
  }

  #checkTerm(member: SimulatedMember): void {
    const { diskEpoch, raisedEpoch, state, config } = member;
    if (diskEpoch < state.epoch)
      this.violations.push(`${config.slot} raises in term ${state.epoch}, which is not on disk`);
    if (state.epoch <= raisedEpoch) this.violations.push(`${config.slot} raises in term ${state.epoch} again`);
    member.raisedEpoch = state.epoch;
  }

  /** Nobody takes the addresses from a peer that serves and is heard. */
  #checkPeer({ config }: SimulatedMember): void {
    const { now } = this.#queue;
    const peer = this.#members[config.slot === 0 ? 1 : 0];
    const isCalm = now - this.#faultAt > 3 * TIMING.deadMs && this.#network.isHeard;
    if (!isCalm || !peer.isUp || peer.isFrozen) return;
    if (peer.state.role === 'active' && now - peer.state.since > TIMING.deadMs)
      this.violations.push(`${config.slot} takes the addresses from a peer that serves at ${Math.round(now)}`);
    if (peer.state.role === 'demoting' && peer.heldUntil > now)
      this.violations.push(`${config.slot} does not wait for the peer that hands over at ${Math.round(now)}`);
  }

  /** Brings the measurement of the overlap up to now. Holders change only here, except by the end of a lease. */
  check(): void {
    const { now } = this.#queue;
    const end = Math.min(...this.#members.map(({ heldUntil }) => heldUntil));
    if (this.#overlapSince !== undefined) {
      const until = Math.min(now, Math.max(end, this.#checkedAt));
      this.longestOverlapMs = Math.max(this.longestOverlapMs, this.#judge(until));
      if (end <= now) this.#overlapSince = undefined;
    } else if (end > now) this.#overlapSince = now;
    this.#checkedAt = now;
  }

  /** Returns how long two members have had the addresses while the assumption held. */
  #judge(until: number): number {
    if (this.#assumedSince === undefined || this.#overlapSince === undefined) return 0;
    const lasted = until - Math.max(this.#overlapSince, this.#assumedSince);
    if (lasted > OVERLAP_MAX_MS) {
      this.violations.push(`two holders for ${Math.round(lasted)} ms at ${Math.round(until)}`);
      this.#overlapSince = until;
    }
    return lasted;
  }

  /** A healthy member whose peer is dead has the addresses after the time to recover. */
  expectSurvivors(): void {
    const { now } = this.#queue;
    for (const member of this.#members) {
      const peer = this.#members[member.config.slot === 0 ? 1 : 0];
      const isHealthy = member.isUp && !member.isFrozen && !member.isDiskFull && member.state.role !== 'maintenance';
      const isConnected = !member.config.isFencing || this.#network.gateways[member.config.slot] === 'good';
      if (!isHealthy || !isConnected || peer.isUp) member.aloneSince = now;
      if (now - member.aloneSince < RECOVERY_MAX_MS || member.heldUntil > now) continue;
      this.violations.push(`${member.config.slot} is alone without the addresses at ${Math.round(now)}`);
      member.aloneSince = now;
    }
  }

  /** A planned hand-over has a short gap. */
  expectOneHolder(): void {
    const { now } = this.#queue;
    const holders = this.#members.filter(({ heldUntil }) => heldUntil > now).length;
    if (holders === 1) this.oneHolderAt = now;
    if (now - this.oneHolderAt < TIMING.deadMs || this.violations.length > 0) return;
    this.violations.push(`${holders} holders at ${Math.round(now)}, when all is well`);
  }

  reassume(): void {
    this.check();
    const { now } = this.#queue;
    const isCutOff = this.#members.some(
      ({ config: { slot, isFencing } }) =>
        isFencing && this.#network.gateways[slot] === 'down' && this.#network.delayedUntil(slot === 0 ? 1 : 0) <= now,
    );
    if (!this.#network.isHeardOnce && !isCutOff) this.#assumedSince = undefined;
    else this.#assumedSince ??= now;
  }
}
