import { describeSelf, Machine, startMember } from '../machine.ts';
import type { Effect, Event, Heartbeat, MemberConfig, MemberState, Order, Timing } from '../model.ts';
import { RULES, type Rules } from '../rules.ts';
import { EventQueue } from './event-queue.ts';
import { Random } from './random.ts';

/** Scaled down: a schedule of a minute has many faults. */
export const TIMING: Timing = {
  intervalMs: 100,
  deadMs: 300,
  leaseMs: 1000,
  bootWaitMs: 2000,
  handoverMs: 1000,
  preemptHoldMs: 1500,
  flap: { takeovers: 3, windowMs: 20_000, silences: 5 },
};

/**
 * The longest time with two holders: the lease of a member that is frozen or dead, or the dead time and the way of a message for
 * one that runs. Holds while the members hear each other in one direction at least, or one of them is cut off from the gateway and
 * gets no old messages.
 */
export const OVERLAP_MAX_MS = TIMING.leaseMs + TIMING.deadMs;
/** After the last fault: the wait after a start, the end of a fencing, or a suspension, and then a take-over. */
export const RECOVERY_MAX_MS = TIMING.bootWaitMs + TIMING.handoverMs + 12 * TIMING.deadMs;

const FAULTS_MS = 20_000;
const CALM_MS = RECOVERY_MAX_MS + 4000;

/** The longest delay of a datagram in chaos. */
const DELAY_MAX_MS = 2000;

/** good: less than `misses` losses in a row, and short delays. chaos: anything can happen to a datagram. */
type LinkState = 'good' | 'down' | 'chaos';

interface Link {
  state: LinkState;
  lostInRow: number;
  /** Until when a datagram may arrive that was sent long before. */
  delayedUntil: number;
}

export interface SimulatorOptions {
  readonly seed: number;
  readonly rules?: Rules;
  readonly isFencing?: boolean;
  readonly preempts?: boolean;
}

export interface Verdict {
  readonly violations: readonly string[];
  /** The events of the schedule, for people. */
  readonly trace: readonly string[];
  readonly takeovers: number;
  readonly longestOverlapMs: number;
}

class Member {
  readonly config: MemberConfig;
  readonly machine: Machine;
  state: MemberState;
  isUp = true;
  isFrozen = false;
  isDiskFull = false;
  isReady = true;
  /** Counts starts, so that what belongs to an earlier one is ignored. */
  boot = 1;
  diskEpoch = 0;
  raisedEpoch = 0;
  aloneSince = 0;
  /** When the kernel removes the addresses; 0 without them. */
  heldUntil = 0;
  sequence = 0;
  heard = { boot: 0, sequence: 0 };
  missedProbes = 0;
  /** Events that wait for a frozen process. */
  readonly waiting: Event[] = [];

  constructor(config: MemberConfig, rules: Rules) {
    this.config = config;
    this.machine = new Machine(config, rules);
    this.state = startMember(0, 0);
  }
}

/** Runs a pair under an adversary: loss, delay, reordering, duplicates, one-way links, crashes, freezes, full disks, orders. */
export class Simulator {
  readonly #random: Random;
  readonly #queue = new EventQueue();
  readonly #members: readonly [Member, Member];
  /** [from slot][path] */
  readonly #links: readonly Link[][];
  readonly #gateways: LinkState[] = ['good', 'good'];
  readonly #trace: string[] = [];
  readonly #violations: string[] = [];
  #overlapSince: number | undefined;
  #longestOverlapMs = 0;
  /** Since when the assumption of the bound holds; undefined while it does not. */
  #assumedSince: number | undefined = 0;
  #checkedAt = 0;
  #oneHolderAt = 0;
  /** When something last happened to a link or a member. */
  #faultAt = 0;
  #takeovers = 0;

  constructor({ seed, rules = RULES, isFencing = true, preempts = false }: SimulatorOptions) {
    this.#random = new Random(seed);
    const make = (slot: 0 | 1) =>
      new Member({ slot, priority: slot === 0 ? 200 : 100, hasPeer: true, isFencing, preempts, timing: TIMING }, rules);
    this.#members = [make(0), make(1)];
    this.#links = [0, 1].map(() => [0, 1].map(() => ({ state: 'good' as const, lostInRow: 0, delayedUntil: 0 })));
  }

  run(): Verdict {
    for (const member of this.#members) this.#boot(member);
    for (let at = 0; at < FAULTS_MS; at += 100) this.#queue.schedule(at, () => this.#expectSurvivors());
    for (let at = this.#random.between(0, 3000); at < FAULTS_MS; at += this.#random.between(20, 1500))
      this.#queue.schedule(at, () => this.#fault());
    this.#queue.runUntil(FAULTS_MS);
    this.#heal();
    this.#queue.runUntil(FAULTS_MS + RECOVERY_MAX_MS);
    this.#oneHolderAt = this.#queue.now;
    for (let at = this.#queue.now; at < FAULTS_MS + CALM_MS; at += 50)
      this.#queue.schedule(at, () => this.#expectOneHolder());
    this.#queue.runUntil(FAULTS_MS + CALM_MS);
    this.#check();
    return {
      violations: this.#violations,
      trace: this.#trace,
      takeovers: this.#takeovers,
      longestOverlapMs: this.#longestOverlapMs,
    };
  }

  #note(text: string): void {
    this.#trace.push(`${Math.round(this.#queue.now)} ${text}`);
  }

  #boot(member: Member): void {
    member.state = startMember(member.diskEpoch, this.#queue.now);
    member.heard = { boot: 0, sequence: 0 };
    member.sequence = 0;
    member.aloneSince = this.#queue.now;
    this.#faultAt = this.#queue.now;
    this.#deliver(member, { kind: 'ready', isReady: member.isReady });
    this.#tick(member, member.boot);
  }

  #tick(member: Member, boot: number): void {
    if (!member.isUp || member.boot !== boot) return;
    if (!member.isFrozen) {
      this.#probe(member);
      this.#deliver(member, { kind: 'tick' });
      this.#send(member);
    }
    this.#queue.schedule(this.#queue.now + TIMING.intervalMs * this.#random.between(0.95, 1.1), () =>
      this.#tick(member, boot),
    );
  }

  #probe(member: Member): void {
    const gateway = this.#gateways[member.config.slot];
    const isAnswered = gateway === 'good' || (gateway === 'chaos' && this.#random.chance(0.5));
    member.missedProbes = isAnswered ? 0 : member.missedProbes + 1;
    if (isAnswered) this.#deliver(member, { kind: 'reach', isReachable: true });
    else if (member.missedProbes * TIMING.intervalMs >= TIMING.deadMs)
      this.#deliver(member, { kind: 'reach', isReachable: false });
  }

  #deliver(member: Member, event: Event): void {
    if (!member.isUp) return;
    if (member.isFrozen) {
      member.waiting.push(event);
      return;
    }
    const before = member.state.role;
    const { state, effects } = member.machine.step(member.state, event, this.#queue.now);
    member.state = state;
    for (const effect of effects) this.#perform(member, effect);
    if (before !== state.role)
      this.#note(`${member.config.slot} ${before} -> ${state.role} (${state.reason}, ${state.epoch})`);
  }

  #perform(member: Member, effect: Effect): void {
    switch (effect.kind) {
      case 'persist':
        if (member.isDiskFull) return;
        this.#later(member, this.#random.between(0, 30), () => {
          member.diskEpoch = effect.epoch;
          this.#deliver(member, { kind: 'persisted', epoch: effect.epoch });
        });
        return;
      case 'raise':
        this.#takeovers += 1;
        this.#checkTerm(member);
        this.#checkPeer(member);
        this.#hold(member, this.#queue.now + TIMING.leaseMs);
        return;
      case 'renew':
        if (member.heldUntil < this.#queue.now)
          this.#violations.push(
            `${member.config.slot} renews what the kernel has removed at ${Math.round(this.#queue.now)}`,
          );
        this.#hold(member, this.#queue.now + TIMING.leaseMs);
        return;
      case 'release':
        this.#later(member, this.#random.between(0, 20), () => {
          if (member.state.role !== 'active') this.#hold(member, 0);
          this.#deliver(member, { kind: 'released' });
        });
        return;
      case 'beat':
        this.#send(member);
        return;
      case 'refuse':
        this.#note(`${member.config.slot} refuses: ${effect.reason}`);
        return;
    }
  }

  #checkTerm(member: Member): void {
    const { diskEpoch, raisedEpoch, state, config } = member;
    if (diskEpoch < state.epoch)
      this.#violations.push(`${config.slot} raises in term ${state.epoch}, which is not on disk`);
    if (state.epoch <= raisedEpoch) this.#violations.push(`${config.slot} raises in term ${state.epoch} again`);
    member.raisedEpoch = state.epoch;
  }

  /** Nobody takes the addresses from a peer that serves and is heard. */
  #checkPeer({ config }: Member): void {
    const { now } = this.#queue;
    const peer = this.#members[config.slot === 0 ? 1 : 0];
    const isHeard = this.#links.every((paths) => paths.some(({ state }) => state === 'good'));
    const isSettled = now - this.#faultAt > 3 * TIMING.deadMs && now - peer.state.since > TIMING.deadMs;
    if (isHeard && isSettled && peer.isUp && !peer.isFrozen && peer.state.role === 'active')
      this.#violations.push(`${config.slot} takes the addresses from a peer that serves at ${Math.round(now)}`);
  }

  /** Runs something of this process later, unless it has ended by then. A frozen process does it when it wakes. */
  #later(member: Member, delayMs: number, run: () => void): void {
    const { boot } = member;
    const attempt = () => {
      if (member.boot !== boot || !member.isUp) return;
      if (member.isFrozen) this.#queue.schedule(this.#queue.now + 10, attempt);
      else run();
    };
    this.#queue.schedule(this.#queue.now + delayMs, attempt);
  }

  #send(member: Member): void {
    const from = member.config.slot;
    const peer = this.#members[from === 0 ? 1 : 0];
    member.sequence += 1;
    const datagram = {
      boot: member.boot,
      sequence: member.sequence,
      beat: describeSelf(member.config, member.state, this.#queue.now),
    };
    for (const link of this.#links[from] ?? []) {
      for (const delayMs of this.#fate(link))
        this.#queue.schedule(this.#queue.now + delayMs, () => this.#receive(peer, datagram));
    }
  }

  /** The delays with which copies of a datagram arrive; empty if it is lost. */
  #fate(link: Link): number[] {
    const random = this.#random;
    switch (link.state) {
      case 'down':
        return [];
      case 'chaos':
        if (random.chance(0.5)) return [];
        return random.chance(0.2)
          ? [random.between(0, DELAY_MAX_MS), random.between(0, DELAY_MAX_MS)]
          : [random.between(0, DELAY_MAX_MS)];
      case 'good': {
        const isLost = link.lostInRow < 1 && random.chance(0.05);
        link.lostInRow = isLost ? link.lostInRow + 1 : 0;
        return isLost ? [] : [random.between(0, TIMING.intervalMs / 2)];
      }
    }
  }

  #receive(member: Member, { boot, sequence, beat }: { boot: number; sequence: number; beat: Heartbeat }): void {
    if (!member.isUp) return;
    const { heard } = member;
    if (boot < heard.boot || (boot === heard.boot && sequence <= heard.sequence)) return;
    member.heard = { boot, sequence };
    this.#deliver(member, { kind: 'heard', beat });
  }

  #hold(member: Member, until: number): void {
    this.#check();
    member.heldUntil = until;
    this.#check();
  }

  /** Brings the measurement of the overlap up to now. Holders change only here, except by the end of a lease. */
  #check(): void {
    const { now } = this.#queue;
    const end = Math.min(...this.#members.map(({ heldUntil }) => heldUntil));
    if (this.#overlapSince !== undefined) {
      const until = Math.min(now, Math.max(end, this.#checkedAt));
      this.#longestOverlapMs = Math.max(this.#longestOverlapMs, this.#judge(until));
      if (end <= now) this.#overlapSince = undefined;
    } else if (end > now) this.#overlapSince = now;
    this.#checkedAt = now;
  }

  /** Returns how long two members have had the addresses while the assumption held. */
  #judge(until: number): number {
    if (this.#assumedSince === undefined || this.#overlapSince === undefined) return 0;
    const lasted = until - Math.max(this.#overlapSince, this.#assumedSince);
    if (lasted > OVERLAP_MAX_MS) {
      this.#violations.push(`two holders for ${Math.round(lasted)} ms at ${Math.round(until)}`);
      this.#overlapSince = until;
    }
    return lasted;
  }

  /** A healthy member whose peer is dead has the addresses after the time to recover. */
  #expectSurvivors(): void {
    const { now } = this.#queue;
    for (const member of this.#members) {
      const peer = this.#members[member.config.slot === 0 ? 1 : 0];
      const isHealthy = member.isUp && !member.isFrozen && !member.isDiskFull && member.state.role !== 'maintenance';
      const isConnected = !member.config.isFencing || this.#gateways[member.config.slot] === 'good';
      if (!isHealthy || !isConnected || peer.isUp) member.aloneSince = now;
      if (now - member.aloneSince < RECOVERY_MAX_MS || member.heldUntil > now) continue;
      this.#violations.push(`${member.config.slot} is alone without the addresses at ${Math.round(now)}`);
      member.aloneSince = now;
    }
  }

  /** A planned hand-over has a short gap. */
  #expectOneHolder(): void {
    const { now } = this.#queue;
    const holders = this.#members.filter(({ heldUntil }) => heldUntil > now).length;
    if (holders === 1) this.#oneHolderAt = now;
    if (now - this.#oneHolderAt < TIMING.deadMs || this.#violations.length > 0) return;
    this.#violations.push(`${holders} holders at ${Math.round(now)}, when all is well`);
  }

  #reassume(): void {
    this.#check();
    const { now } = this.#queue;
    const hears = this.#links.some((paths) => paths.some(({ state }) => state === 'good'));
    const isCutOff = this.#members.some(
      ({ config: { slot, isFencing } }) =>
        isFencing && this.#gateways[slot] === 'down' && this.#delayedUntil(slot === 0 ? 1 : 0) <= now,
    );
    if (!hears && !isCutOff) this.#assumedSince = undefined;
    else this.#assumedSince ??= now;
  }

  /** Until when old messages of a member may arrive. */
  #delayedUntil(slot: 0 | 1): number {
    return Math.max(...(this.#links[slot] ?? []).map(({ delayedUntil }) => delayedUntil));
  }

  #setLink(link: Link, state: LinkState): void {
    const { now } = this.#queue;
    if (state === 'chaos') link.delayedUntil = Number.POSITIVE_INFINITY;
    else if (link.state === 'chaos') {
      link.delayedUntil = now + DELAY_MAX_MS;
      this.#queue.schedule(link.delayedUntil, () => this.#reassume());
    }
    link.state = state;
  }

  #fault(): void {
    const random = this.#random;
    const member = random.pick(this.#members);
    const kind = random.pick(['link', 'link', 'cut', 'gateway', 'crash', 'reboot', 'freeze', 'disk', 'ready', 'order']);
    this.#note(`fault: ${kind} ${member.config.slot}`);
    switch (kind) {
      case 'link': {
        const link = random.pick(this.#links.flat() as [Link, ...Link[]]);
        this.#setLink(link, random.pick(['good', 'good', 'down', 'chaos']));
        break;
      }
      case 'cut': {
        const state = random.pick<LinkState>(['good', 'down']);
        for (const link of this.#links.flat()) this.#setLink(link, state);
        this.#gateways[member.config.slot] = state;
        break;
      }
      case 'gateway':
        this.#gateways[member.config.slot] = random.pick(['good', 'good', 'down', 'chaos']);
        break;
      case 'crash':
      case 'reboot':
        this.#crash(member, kind === 'reboot');
        break;
      case 'freeze':
        this.#freeze(member);
        break;
      case 'disk':
        member.isDiskFull = random.chance(0.5);
        break;
      case 'ready':
        member.isReady = random.chance(0.6);
        this.#deliver(member, { kind: 'ready', isReady: member.isReady });
        break;
      case 'order':
        this.#deliver(member, { kind: 'order', order: this.#chooseOrder() });
        break;
    }
    this.#note(
      `  links ${this.#links.map((paths) => paths.map(({ state }) => state)).join(' | ')}; gateways ${this.#gateways}`,
    );
    member.aloneSince = this.#queue.now;
    this.#faultAt = this.#queue.now;
    this.#reassume();
  }

  #chooseOrder(): Order {
    const isForced = this.#random.chance(0.3);
    return this.#random.pick<Order>([
      { kind: 'failover', isForced },
      { kind: 'failover', isForced },
      { kind: 'maintenance', isOn: true, isForced },
      { kind: 'maintenance', isOn: false, isForced },
      { kind: 'maintenance', isOn: false, isForced },
      { kind: 'clear' },
      { kind: 'start_alone' },
    ]);
  }

  /** The kernel keeps the addresses of a process that was killed, for the rest of the lease, but not those of a dead host. */
  #crash(member: Member, isOfHost: boolean): void {
    if (!member.isUp) return;
    member.isUp = false;
    member.isFrozen = false;
    member.waiting.length = 0;
    if (isOfHost) this.#hold(member, 0);
    const { boot } = member;
    this.#queue.schedule(this.#queue.now + this.#random.between(1, isOfHost ? 12_000 : 1500), () => {
      if (member.boot === boot) this.#restart(member);
    });
  }

  /** A process that starts first removes what an earlier one left. */
  #restart(member: Member): void {
    member.boot += 1;
    member.isUp = true;
    this.#hold(member, 0);
    this.#boot(member);
    this.#note(`${member.config.slot} starts with epoch ${member.diskEpoch}`);
  }

  #freeze(member: Member): void {
    if (!member.isUp || member.isFrozen) return;
    member.isFrozen = true;
    const { boot } = member;
    this.#queue.schedule(this.#queue.now + this.#random.between(50, 5000), () => {
      if (member.boot === boot) this.#thaw(member);
    });
  }

  #thaw(member: Member): void {
    member.isFrozen = false;
    member.aloneSince = this.#queue.now;
    this.#faultAt = this.#queue.now;
    for (const event of member.waiting.splice(0)) this.#deliver(member, event);
  }

  #heal(): void {
    this.#note('all faults end');
    this.#faultAt = this.#queue.now;
    for (const link of this.#links.flat()) this.#setLink(link, 'good');
    this.#gateways.fill('good');
    for (const member of this.#members) {
      member.isDiskFull = false;
      member.isReady = true;
      if (!member.isUp) this.#restart(member);
      if (member.isFrozen) this.#thaw(member);
      this.#deliver(member, { kind: 'order', order: { kind: 'maintenance', isOn: false, isForced: false } });
      this.#deliver(member, { kind: 'ready', isReady: true });
    }
    this.#reassume();
  }
}
