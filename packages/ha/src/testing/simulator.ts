import { describeSelf, keepsAddresses, startMember } from '../machine.ts';
import type { Effect, Event, Heartbeat, Order } from '../model.ts';
import { type Accepted, acceptDatagram, NOTHING_ACCEPTED } from '../replay-guard.ts';
import { RULES, type Rules } from '../rules.ts';
import { EventQueue } from './event-queue.ts';
import { Random } from './random.ts';
import { SimulatedMember } from './simulated-member.ts';
import { type LinkState, SimulatedNetwork } from './simulated-network.ts';
import { OVERLAP_MAX_MS, RECOVERY_MAX_MS, TIMING } from './timing.ts';
import { Watch } from './watch.ts';

export { OVERLAP_MAX_MS, RECOVERY_MAX_MS } from './timing.ts';

const FAULTS_MS = 20_000;
const CALM_MS = RECOVERY_MAX_MS + 4000;
/** How often a third party looks at both members, and for how long a member yields for it. */
const ARBITER_MS = 400;
const YIELD_MS = 1500;

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

/** A datagram of a member, with the newest one of its peer that it has accepted. */
interface Sent extends Accepted {
  readonly beat: Heartbeat;
  readonly echo: Accepted;
}

/** Runs a pair under an adversary: loss, delay, reordering, duplicates, one-way links, crashes, freezes, full disks, orders. */
export class Simulator {
  readonly #random: Random;
  readonly #queue = new EventQueue();
  readonly #members: readonly [SimulatedMember, SimulatedMember];
  readonly #network: SimulatedNetwork;
  readonly #watch: Watch;
  readonly #trace: string[] = [];
  readonly #hasArbiter: boolean;
  #takeovers = 0;
  #splitSince: number | undefined;

  constructor({ seed, rules = RULES, isFencing = true, preempts = false }: SimulatorOptions) {
    this.#random = new Random(seed);
    const make = (slot: 0 | 1) => {
      const priority = slot === 0 ? 200 : 100;
      return new SimulatedMember({ slot, priority, hasPeer: true, isFencing, preempts, timing: TIMING }, rules);
    };
    this.#members = [make(0), make(1)];
    const [queue, random] = [this.#queue, this.#random];
    this.#hasArbiter = random.chance(0.5);
    this.#network = new SimulatedNetwork({ queue, random, onQuiet: () => this.#watch.reassume() });
    this.#watch = new Watch({ queue, members: this.#members, network: this.#network });
  }

  run(): Verdict {
    for (const member of this.#members) this.#boot(member);
    for (let at = 0; at < FAULTS_MS; at += 100) this.#queue.schedule(at, () => this.#watch.expectSurvivors());
    for (let at = this.#random.between(0, 3000); at < FAULTS_MS; at += this.#random.between(20, 1500))
      this.#queue.schedule(at, () => this.#fault());
    if (this.#hasArbiter)
      for (let at = 0; at < FAULTS_MS; at += ARBITER_MS) this.#queue.schedule(at, () => this.#arbitrate());
    this.#queue.runUntil(FAULTS_MS);
    this.#heal();
    this.#queue.runUntil(FAULTS_MS + RECOVERY_MAX_MS);
    this.#watch.oneHolderAt = this.#queue.now;
    for (let at = this.#queue.now; at < FAULTS_MS + CALM_MS; at += 50)
      this.#queue.schedule(at, () => this.#watch.expectOneHolder());
    this.#queue.runUntil(FAULTS_MS + CALM_MS);
    this.#watch.check();
    return {
      violations: this.#watch.violations,
      trace: this.#trace,
      takeovers: this.#takeovers,
      longestOverlapMs: this.#watch.longestOverlapMs,
    };
  }

  #note(text: string): void {
    this.#trace.push(`${Math.round(this.#queue.now)} ${text}`);
  }

  #boot(member: SimulatedMember): void {
    member.state = startMember(member.diskEpoch, this.#queue.now);
    member.heard = NOTHING_ACCEPTED;
    member.sequence = 0;
    member.sentAt.clear();
    this.#watch.noteFault(member);
    this.#deliver(member, { kind: 'ready', isReady: member.isReady });
    this.#tick(member, member.boot);
  }

  #tick(member: SimulatedMember, boot: number): void {
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

  #probe(member: SimulatedMember): void {
    const isAnswered = this.#network.isGatewayAnswering(member.config.slot);
    member.missedProbes = isAnswered ? 0 : member.missedProbes + 1;
    if (isAnswered) this.#deliver(member, { kind: 'reach', isReachable: true });
    else if (member.missedProbes * TIMING.intervalMs >= TIMING.deadMs)
      this.#deliver(member, { kind: 'reach', isReachable: false });
  }

  #deliver(member: SimulatedMember, event: Event): void {
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

  #perform(member: SimulatedMember, effect: Effect): void {
    switch (effect.kind) {
      case 'persist':
        if (member.isDiskFull) return;
        // Writes reach the disk in their order.
        member.diskBusyUntil = Math.max(member.diskBusyUntil, this.#queue.now + this.#random.between(0, 30));
        this.#later(member, member.diskBusyUntil - this.#queue.now, () => {
          member.diskEpoch = effect.epoch;
          this.#deliver(member, { kind: 'persisted', epoch: effect.epoch });
        });
        return;
      case 'raise':
        this.#takeovers += 1;
        this.#watch.noteRaise(member);
        this.#hold(member, this.#queue.now + TIMING.leaseMs);
        return;
      case 'renew':
        this.#watch.noteRenewal(member);
        this.#hold(member, this.#queue.now + TIMING.leaseMs);
        return;
      case 'release':
        this.#later(member, this.#random.between(0, 20), () => {
          if (!keepsAddresses(member.state)) this.#hold(member, 0);
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

  /** Runs something of this process later, unless it has ended by then. A frozen process does it when it wakes. */
  #later(member: SimulatedMember, delayMs: number, run: () => void): void {
    const { boot } = member;
    const attempt = () => {
      if (member.boot !== boot || !member.isUp) return;
      if (member.isFrozen) this.#queue.schedule(this.#queue.now + 10, attempt);
      else run();
    };
    this.#queue.schedule(this.#queue.now + delayMs, attempt);
  }

  #send(member: SimulatedMember): void {
    const from = member.config.slot;
    const peer = this.#members[from === 0 ? 1 : 0];
    member.sequence += 1;
    const datagram = {
      boot: member.boot,
      sequence: member.sequence,
      beat: describeSelf(member.config, member.state, this.#queue.now),
      echo: member.heard,
    };
    member.sentAt.set(member.sequence, this.#queue.now);
    for (const delayMs of this.#network.delaysFrom(from))
      this.#queue.schedule(this.#queue.now + delayMs, () => this.#receive(peer, datagram));
  }

  #receive(member: SimulatedMember, { beat, echo, ...place }: Sent): void {
    if (!member.isUp) return;
    const accepted = acceptDatagram(member.heard, place);
    if (!accepted) return;
    member.heard = accepted;
    const answeredAt = echo.boot === member.boot ? member.sentAt.get(echo.sequence) : undefined;
    this.#deliver(member, { kind: 'heard', beat, answeredAt });
  }

  #hold(member: SimulatedMember, until: number): void {
    this.#watch.check();
    member.heldUntil = until;
    this.#watch.check();
  }

  #fault(): void {
    const random = this.#random;
    const member = random.pick(this.#members);
    const kind = random.pick([
      'link',
      'link',
      'cut',
      'gateway',
      'crash',
      'reboot',
      'freeze',
      'disk',
      'ready',
      'order',
      'config',
    ]);
    this.#note(`fault: ${kind} ${member.config.slot}`);
    switch (kind) {
      case 'link': {
        const link = random.pick(this.#network.links);
        this.#network.set(link, random.pick(['good', 'good', 'down', 'chaos']));
        break;
      }
      case 'cut': {
        const state = random.pick<LinkState>(['good', 'down']);
        this.#network.setAll(state);
        this.#network.gateways[member.config.slot] = state;
        break;
      }
      case 'gateway':
        this.#network.gateways[member.config.slot] = random.pick(['good', 'good', 'down', 'chaos']);
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
      case 'config':
        member.reconfigure(
          { priority: random.pick([50, 100, 200, 300]), preempts: random.chance(0.5) },
          this.#queue.now,
        );
        break;
    }
    this.#note(`  ${this.#network.describe()}`);
    this.#watch.noteFault(member);
    this.#watch.reassume();
  }

  /** A third party that hears both members, as the controller does. Its orders take their time, and may be wrong by then. */
  #arbitrate(): void {
    const { now } = this.#queue;
    const isRunning = this.#members.every(({ isUp, isFrozen }) => isUp && !isFrozen);
    const active = this.#members.filter(({ state }) => state.role === 'active');
    const isSplit = isRunning && active.length === 2;
    this.#splitSince = isSplit ? (this.#splitSince ?? now) : undefined;
    const yielding = this.#members.find(({ state }) => state.role === 'standby' && state.yieldsUntil !== undefined);
    const isLasting = this.#splitSince !== undefined && now - this.#splitSince > OVERLAP_MAX_MS;
    const loser = isLasting ? active.toSorted((a, b) => a.state.epoch - b.state.epoch)[0] : yielding;
    if (!loser || !isRunning || active.length === 0) return;
    const order = { kind: 'yield', holdMs: YIELD_MS } as const;
    this.#queue.schedule(now + this.#random.between(0, 600), () => this.#deliver(loser, { kind: 'order', order }));
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
  #crash(member: SimulatedMember, isOfHost: boolean): void {
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
  #restart(member: SimulatedMember): void {
    member.boot += 1;
    member.isUp = true;
    this.#hold(member, 0);
    this.#boot(member);
    this.#note(`${member.config.slot} starts with epoch ${member.diskEpoch}`);
  }

  #freeze(member: SimulatedMember): void {
    if (!member.isUp || member.isFrozen) return;
    member.isFrozen = true;
    const { boot } = member;
    this.#queue.schedule(this.#queue.now + this.#random.between(50, 5000), () => {
      if (member.boot === boot) this.#thaw(member);
    });
  }

  #thaw(member: SimulatedMember): void {
    member.isFrozen = false;
    this.#watch.noteFault(member);
    for (const event of member.waiting.splice(0)) this.#deliver(member, event);
  }

  #heal(): void {
    this.#note('all faults end');
    this.#watch.noteFault(undefined);
    this.#network.setAll('good');
    this.#network.gateways.fill('good');
    for (const member of this.#members) {
      member.isDiskFull = false;
      member.isReady = true;
      if (!member.isUp) this.#restart(member);
      if (member.isFrozen) this.#thaw(member);
      this.#deliver(member, { kind: 'order', order: { kind: 'maintenance', isOn: false, isForced: false } });
      this.#deliver(member, { kind: 'ready', isReady: true });
    }
    this.#watch.reassume();
  }
}
