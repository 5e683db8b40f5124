import {
  describeSelf,
  type Effect,
  type Event,
  type HaConfig,
  Machine,
  type MemberConfig,
  type MemberReport,
  type MemberState,
  type Order,
  type Refusal,
  reconfigure,
  startMember,
} from '@flotilla/ha';
import { type Closable, type Logger, sleep, toErrorMessage } from '@flotilla/kit';
import { Addresses } from './addresses.ts';
import { Beats } from './beats.ts';
import { leaseSecondsOf, type Pace, paceOf, slowerPace, toMember } from './config.ts';
import type { History } from './history.ts';
import type { LeaseRecord } from './lease-record.ts';
import type { Problems } from './problems.ts';
import type { Readiness } from './readiness.ts';
import { describeMember } from './report.ts';
import { Targets } from './targets.ts';
import type { TermStore } from './term-store.ts';

/** A renewal may fail twice before the lease ends. */
const RENEWALS_PER_LEASE = 3;
/** How often the newest datagram of the peer is written down, besides every change of the role. */
const CHECKPOINT_MS = 10_000;
/** How long a member that ends waits for its peer to be prepared. */
const FAREWELL_MS = 1500;
const POLL_MS = 10;
/** A disk that hangs must not keep the addresses from being renewed. */
const RECORD_MAX_MS = 200;

export interface MemberOptions {
  readonly store: TermStore;
  readonly history: History;
  readonly lease: LeaseRecord;
  readonly readiness: Readiness;
  readonly problems: Problems;
  readonly logger: Logger;
}

/** The file in use, and the rest of an earlier one that counts for a while. */
interface Applied {
  readonly config: HaConfig;
  /** The earlier pace, until the peer has the same file. */
  readonly settling: Pace | undefined;
  /** The paths to a peer that was removed, until it is silent: it must not take over because nobody speaks to it. */
  readonly leaving: HaConfig['paths'] | undefined;
}

/** Runs the protocol of one member: clock, sockets, disk and addresses. */
export class Member implements Closable {
  readonly #options: MemberOptions;
  readonly #addresses: Addresses;
  readonly #beats: Beats;
  readonly #targets: Targets;
  #applied: Applied;
  #member: MemberConfig;
  #machine: Machine;
  #state: MemberState;
  #since = new Date().toISOString();
  #timer: NodeJS.Timeout | undefined;
  #renewedAt = 0;
  #checkpointAt = 0;
  #refusal: Refusal | undefined;

  private constructor(config: HaConfig, options: MemberOptions) {
    const { store, problems } = options;
    this.#options = options;
    this.#applied = { config, settling: undefined, leaving: undefined };
    this.#member = toMember(config);
    this.#machine = new Machine(this.#member);
    this.#state = startMember(store.term.epoch, performance.now());
    this.#addresses = new Addresses({
      onProblem: (kind, problem) => problems.note(kind, problem),
      onRaised: () => options.history.noteRaised(this.#state.epoch),
      onLease: (leaseMs) => this.#recordLease(leaseMs),
    });
    this.#targets = new Targets({
      onChange: (isReachable) => this.#handle({ kind: 'reach', isReachable }),
      onProblem: (problem) => problems.note('targets', problem),
    });
    const { boot, accepted } = store.term;
    this.#beats = new Beats({
      boot,
      config,
      accepted,
      onBeat: (beat, answeredAt) => this.#handle({ kind: 'heard', beat, answeredAt }),
    });
  }

  /** Removes what an earlier process may have left, and begins. */
  static async start(config: HaConfig, options: MemberOptions): Promise<Member> {
    const { store } = options;
    // The wall clock makes it higher than that of an earlier member of this slot, whose disk is gone.
    await store.write({ boot: Math.max(store.term.boot + 1, Math.floor(Date.now() / 1000)) });
    const member = new Member(config, options);
    member.#configure();
    await member.#addresses.release();
    options.history.noteKilled(options.lease.earlierEndedMsAgo);
    member.#begin();
    return member;
  }

  get pairId(): string {
    return this.#applied.config.pair_id;
  }

  get slot(): 0 | 1 {
    return this.#applied.config.slot;
  }

  #begin(): void {
    const isOn = this.#options.store.term.isInMaintenance;
    this.noteReadiness();
    if (isOn) this.#handle({ kind: 'order', order: { kind: 'maintenance', isOn, isForced: true } });
    this.#tick();
  }

  /** Takes over another file of the same member. The role and the term stay, and so do addresses that are in both. */
  apply(config: HaConfig): void {
    const { config: before, leaving } = this.#applied;
    const isRemoved = before.has_peer && !config.has_peer && this.#isPeerHeard;
    const isNew = !before.has_peer && config.has_peer;
    const stillLeaving = config.has_peer ? undefined : leaving;
    const hasSamePace = JSON.stringify(before.hb) === JSON.stringify(config.hb);
    this.#applied = {
      config,
      settling: hasSamePace ? this.#applied.settling : this.#member.timing,
      leaving: isRemoved ? before.paths : stillLeaving,
    };
    if (isNew) this.#beats.forgetPeer();
    this.#configure();
    this.noteReadiness();
    this.#options.logger.info({ config_rev: config.config_rev }, 'ha.config_applied');
  }

  /** Brings everything in line with what was applied. */
  #configure(): void {
    const { config: file, settling, leaving } = this.#applied;
    const config = leaving ? { ...file, has_peer: true, paths: leaving } : file;
    const pace = settling && config.has_peer ? slowerPace(settling, paceOf(config)) : paceOf(config);
    const before = this.#member;
    this.#member = toMember(config, pace);
    this.#machine = new Machine(this.#member);
    this.#state = reconfigure(this.#state, { before, after: this.#member }, performance.now());
    this.#beats.update(config);
    this.#targets.update({ targets: config.fence_targets, ...pace });
    const source = config.paths.find(({ network }) => network === 'data')?.local;
    const { addresses, next_hops: nextHops } = config;
    void this.#addresses.update({ addresses, nextHops, source, leaseS: leaseSecondsOf(pace) });
    if (this.#timer && before.timing.intervalMs === pace.intervalMs) return;
    clearInterval(this.#timer);
    this.#timer = setInterval(() => this.#tick(), pace.intervalMs);
  }

  get #isPeerHeard(): boolean {
    const { peer, silentSince } = this.#state;
    return peer !== undefined && performance.now() - silentSince < this.#member.timing.deadMs;
  }

  #tick(): void {
    const now = performance.now();
    this.#targets.check(now);
    this.#handle({ kind: 'tick' });
    this.#send();
    this.#settle();
    if (now - this.#checkpointAt < CHECKPOINT_MS) return;
    this.#checkpointAt = now;
    void this.#keep({ accepted: this.#beats.accepted });
  }

  /** Forgets the earlier file, as far as the peer allows it. */
  #settle(): void {
    const { config, settling, leaving } = this.#applied;
    const hasSettled = settling && this.#isPeerHeard && (this.#beats.heard?.configRev ?? 0) >= config.config_rev;
    const hasLeft = leaving && !this.#isPeerHeard;
    if (!hasSettled && !hasLeft) return;
    this.#applied = {
      config,
      settling: hasSettled ? undefined : settling,
      leaving: hasLeft ? undefined : leaving,
    };
    this.#configure();
  }

  #handle(event: Event): void {
    const before = this.#state;
    const { state, effects } = this.#machine.step(before, event, performance.now());
    this.#state = state;
    if (before.role !== state.role) this.#noteChange(before, state);
    for (const effect of effects) this.#perform(effect);
  }

  #noteChange(before: MemberState, { role, reason, epoch, peer, isReachable }: MemberState): void {
    this.#since = new Date().toISOString();
    const change = {
      at: this.#since,
      from: before.role,
      role,
      epoch,
      reason,
      peer_role: peer?.role ?? null,
      peer_epoch: peer?.epoch ?? null,
      gateway_reachable: isReachable,
      silent_ms: before.peer ? Math.round(performance.now() - before.silentSince) : null,
    };
    this.#options.history.noteChange(change);
    this.#options.logger.info(change, 'ha.role_changed');
    void this.#keep({ accepted: this.#beats.accepted });
  }

  #perform(effect: Effect): void {
    switch (effect.kind) {
      case 'persist':
        void this.#persist(effect.epoch);
        break;
      case 'raise':
        this.#renewedAt = performance.now();
        void this.#addresses.raise();
        break;
      case 'renew':
        this.#renew();
        break;
      case 'release':
        void this.#release();
        break;
      case 'beat':
        this.#send();
        break;
      case 'refuse':
        this.#refusal = effect.reason;
        break;
    }
  }

  async #persist(epoch: number): Promise<void> {
    try {
      await this.#options.store.write({ epoch });
    } catch (error) {
      this.#options.problems.note('disk', toErrorMessage(error));
      return;
    }
    this.#options.problems.note('disk', undefined);
    this.#handle({ kind: 'persisted', epoch });
  }

  async #release(): Promise<void> {
    const { renewedAt } = this.#addresses;
    const { leaseMs } = this.#member.timing;
    await this.#addresses.release();
    this.#options.history.noteReleased({ renewedAt, leaseMs });
    this.#handle({ kind: 'released' });
  }

  async #recordLease(leaseMs: number): Promise<void> {
    const { lease, problems } = this.#options;
    const recorded = lease.write(leaseMs).catch((error: unknown) => problems.note('disk', toErrorMessage(error)));
    const waited = new AbortController();
    await Promise.race([recorded, sleep(RECORD_MAX_MS, waited.signal)]);
    waited.abort();
  }

  /** Writes what makes the next start safer. A disk that fails is reported, and changes nothing. */
  async #keep(change: Parameters<TermStore['write']>[0]): Promise<void> {
    const { store, problems } = this.#options;
    try {
      await store.write(change);
      problems.note('disk', undefined);
    } catch (error) {
      problems.note('disk', toErrorMessage(error));
    }
  }

  #renew(): void {
    const now = performance.now();
    if (now - this.#renewedAt < this.#member.timing.leaseMs / RENEWALS_PER_LEASE) return;
    this.#renewedAt = now;
    void this.#addresses.renew();
  }

  #send(): void {
    if (!this.#member.hasPeer) return;
    this.#beats.send(describeSelf(this.#member, this.#state, performance.now()));
  }

  /** Returns why the member does not do it. Maintenance lasts over restarts, so it is on disk then. */
  async order(order: Order): Promise<Refusal | undefined> {
    this.#refusal = undefined;
    this.#handle({ kind: 'order', order });
    const refusal = this.#refusal;
    if (order.kind === 'maintenance' && refusal === undefined) await this.#keep({ isInMaintenance: order.isOn });
    return refusal;
  }

  /** Call it after a change of the readiness. */
  noteReadiness(): void {
    const isReady = this.#options.readiness.isReady(this.#applied.config.addresses);
    this.#handle({ kind: 'ready', isReady });
  }

  /** Announces the addresses again. False: they are not here. */
  announce(): boolean {
    if (this.#state.role !== 'active') return false;
    this.#addresses.announce();
    return true;
  }

  report(): MemberReport {
    return describeMember({
      config: this.#applied.config,
      member: this.#member,
      state: this.#state,
      since: this.#since,
      beats: this.#beats,
      addresses: this.#addresses,
      readiness: this.#options.readiness,
      history: this.#options.history,
      problems: this.#options.problems.all,
      isPeerLeaving: this.#applied.leaving !== undefined,
      now: performance.now(),
    });
  }

  /** Hands the addresses over where that is possible, so that the peer need not wait for the end of a lease. */
  async close(): Promise<void> {
    // Not an order of the operator: it does not outlast the process.
    const retire = (isForced: boolean) =>
      this.#handle({ kind: 'order', order: { kind: 'maintenance', isOn: true, isForced } });
    retire(false);
    const until = performance.now() + FAREWELL_MS;
    while (this.#state.role === 'demoting' && performance.now() < until) await sleep(POLL_MS);
    clearInterval(this.#timer);
    retire(true);
    await this.#targets.close();
    await this.#release();
    this.#send();
    await this.#beats.close();
    await Promise.all([this.#addresses.close(), this.#options.history.close()]);
    await Promise.all([this.#options.store.close(), this.#options.lease.close()]);
  }
}
