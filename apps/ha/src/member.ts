import {
  type Accepted,
  acceptDatagram,
  type Datagram,
  decodeDatagram,
  describeSelf,
  type Effect,
  type Event,
  encodeDatagram,
  type Key,
  Machine,
  type MemberConfig,
  type MemberState,
  type Order,
  type Refusal,
  startMember,
} from '@flotilla/ha';
import { type Closable, type Logger, toErrorMessage } from '@flotilla/kit';
import { Addresses } from './addresses.ts';
import { type HaConfig, keysOf, leaseSecondsOf, toMember } from './config.ts';
import { Path } from './path.ts';
import { describeMember, type MemberReport, type RoleChange } from './report.ts';
import { Targets } from './targets.ts';
import type { TermStore } from './term-store.ts';

const CHANGES_MAX = 200;
/** A renewal may fail twice before the lease ends. */
const RENEWALS_PER_LEASE = 3;
/** How often the newest datagram of the peer is written down, besides every change of the role. */
const CHECKPOINT_MS = 10_000;
const US = 1000;
/** So many sent datagrams are remembered, to measure the time of their echo. */
const SENT_MAX = 64;

export interface MemberOptions {
  readonly config: HaConfig;
  readonly store: TermStore;
  readonly logger: Logger;
}

/** Runs the protocol of one member: clock, sockets, disk and addresses. */
export class Member implements Closable {
  readonly #options: MemberOptions;
  readonly #member: MemberConfig;
  readonly #keys: readonly Key[];
  readonly #machine: Machine;
  readonly #addresses: Addresses;
  readonly #paths: Path[] = [];
  readonly #targets: Targets;
  readonly #changes: RoleChange[] = [];
  /** When each of the newest datagrams was sent, by sequence. */
  readonly #sent = new Map<number, number>();
  /** Counts the datagrams that were not accepted, by reason. */
  readonly #rejected = new Map<string, number>();
  readonly #problems = new Map<string, string>();
  #state: MemberState;
  #timer: NodeJS.Timeout | undefined;
  #sequence = 0;
  #renewedAt = 0;
  #checkpointAt = 0;
  #heard: { readonly datagram: Datagram; readonly at: number } | undefined;
  #accepted: Accepted;
  #refusal: Refusal | undefined;

  private constructor(options: MemberOptions) {
    const { config, store } = options;
    this.#options = options;
    this.#member = toMember(config);
    this.#keys = keysOf(config);
    this.#machine = new Machine(this.#member);
    this.#accepted = store.term.accepted;
    this.#state = startMember(store.term.epoch, performance.now());
    this.#addresses = new Addresses({
      addresses: config.addresses,
      leaseS: leaseSecondsOf(config),
      onProblem: (problem) => this.#noteProblem('addresses', problem),
    });
    const { intervalMs, deadMs } = this.#member.timing;
    this.#targets = new Targets({
      targets: config.fence_targets,
      intervalMs,
      deadMs,
      onChange: (isReachable) => this.#handle({ kind: 'reach', isReachable }),
      onProblem: (problem) => this.#noteProblem('targets', problem),
    });
  }

  /** Removes what an earlier process may have left, and begins. */
  static async start(options: MemberOptions): Promise<Member> {
    const { config, store } = options;
    await store.write({ boot: store.term.boot + 1 });
    const member = new Member(options);
    await member.#addresses.release();
    for (const path of config.paths)
      member.#paths.push(
        await Path.open({ config: path, accepted: store.term.accepted }, (bytes, from) => member.#receive(bytes, from)),
      );
    member.#begin();
    return member;
  }

  #begin(): void {
    const isOn = this.#options.store.term.isInMaintenance;
    this.#handle({ kind: 'ready', isReady: true });
    if (isOn) this.#handle({ kind: 'order', order: { kind: 'maintenance', isOn, isForced: true } });
    const { intervalMs } = this.#member.timing;
    this.#timer = setInterval(() => this.#tick(), intervalMs);
    this.#tick();
  }

  #tick(): void {
    const now = performance.now();
    this.#targets.check(now);
    this.#handle({ kind: 'tick' });
    this.#send();
    if (now - this.#checkpointAt < CHECKPOINT_MS) return;
    this.#checkpointAt = now;
    this.#keep({ accepted: this.#accepted });
  }

  #handle(event: Event): void {
    const before = this.#state;
    const { state, effects } = this.#machine.step(before, event, performance.now());
    this.#state = state;
    if (before.role !== state.role) this.#noteChange(before, state);
    for (const effect of effects) this.#perform(effect);
  }

  #noteChange(before: MemberState, { role, reason, epoch, peer, isReachable }: MemberState): void {
    const change: RoleChange = {
      at: new Date().toISOString(),
      from: before.role,
      role,
      epoch,
      reason,
      peer_role: peer?.role ?? null,
      peer_epoch: peer?.epoch ?? null,
      gateway_reachable: isReachable,
    };
    this.#changes.push(change);
    if (this.#changes.length > CHANGES_MAX) this.#changes.shift();
    this.#options.logger.info(change, 'ha.role_changed');
    this.#keep({ accepted: this.#accepted });
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
        void this.#addresses.release().then(() => this.#handle({ kind: 'released' }));
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
      this.#noteProblem('disk', toErrorMessage(error));
      return;
    }
    this.#noteProblem('disk', undefined);
    this.#handle({ kind: 'persisted', epoch });
  }

  /** Writes what makes the next start safer. A disk that fails is reported, and changes nothing. */
  #keep(change: Parameters<TermStore['write']>[0]): void {
    this.#options.store.write(change).then(
      () => this.#noteProblem('disk', undefined),
      (error: unknown) => this.#noteProblem('disk', toErrorMessage(error)),
    );
  }

  #renew(): void {
    const now = performance.now();
    if (now - this.#renewedAt < this.#member.timing.leaseMs / RENEWALS_PER_LEASE) return;
    this.#renewedAt = now;
    void this.#addresses.renew();
  }

  #noteProblem(kind: string, problem: string | undefined): void {
    if (this.#problems.get(kind) === problem) return;
    if (problem === undefined) this.#problems.delete(kind);
    else {
      this.#problems.set(kind, problem);
      this.#options.logger.warn({ kind, problem }, 'ha.problem');
    }
  }

  #send(): void {
    const { config, store } = this.#options;
    const key = this.#keys.find(({ id }) => id === config.send_key);
    if (!key || !config.has_peer) return;
    const now = performance.now();
    this.#sequence += 1;
    const heard = this.#heard;
    const bytes = encodeDatagram(
      {
        beat: describeSelf(this.#member, this.#state, now),
        boot: store.term.boot,
        sequence: this.#sequence,
        configRev: config.config_rev,
        sentAtMs: Date.now(),
        isReachable: this.#state.isReachable,
        isFencing: this.#member.isFencing,
        echo: heard && {
          boot: heard.datagram.boot,
          sequence: heard.datagram.sequence,
          delayUs: Math.round((now - heard.at) * US),
        },
      },
      config.pair_id,
      key,
    );
    this.#sent.set(this.#sequence, now);
    this.#sent.delete(this.#sequence - SENT_MAX);
    for (const path of this.#paths) path.send(bytes);
  }

  #receive(bytes: Buffer, path: Path): void {
    const { config } = this.#options;
    const read = decodeDatagram(bytes, { pairId: config.pair_id, slot: config.slot }, this.#keys);
    if (!read.ok) {
      this.#reject(read.error);
      return;
    }
    const now = performance.now();
    const datagram = read.value;
    const rttMs = this.#measure(datagram, now);
    const skewMs = rttMs === undefined ? undefined : datagram.sentAtMs - Date.now() + rttMs / 2;
    if (!path.note(datagram, { now, rttMs, skewMs })) {
      this.#reject('old');
      return;
    }
    const accepted = acceptDatagram(this.#accepted, datagram);
    // The other path was faster.
    if (!accepted) return;
    this.#accepted = accepted;
    this.#heard = { datagram, at: now };
    this.#handle({ kind: 'heard', beat: datagram.beat });
  }

  #reject(why: string): void {
    this.#rejected.set(why, (this.#rejected.get(why) ?? 0) + 1);
  }

  /** Returns the time of the way to the peer and back, without the time that it waited there. */
  #measure({ echo }: Datagram, now: number): number | undefined {
    if (echo?.boot !== this.#options.store.term.boot) return undefined;
    const sentAt = this.#sent.get(echo.sequence);
    return sentAt === undefined ? undefined : Math.max(0, now - sentAt - echo.delayUs / US);
  }

  /** Returns why the member does not do it. */
  order(order: Order): Refusal | undefined {
    this.#refusal = undefined;
    this.#handle({ kind: 'order', order });
    if (order.kind === 'maintenance' && this.#refusal === undefined) this.#keep({ isInMaintenance: order.isOn });
    return this.#refusal;
  }

  /** Whether the proxies of this host run with the newest configuration. */
  setReady(isReady: boolean): void {
    this.#handle({ kind: 'ready', isReady });
  }

  /** Announces the addresses again. False: they are not here. */
  announce(): boolean {
    if (this.#state.role !== 'active') return false;
    void this.#addresses.announce();
    return true;
  }

  report(): MemberReport {
    return describeMember({
      config: this.#options.config,
      member: this.#member,
      state: this.#state,
      paths: this.#paths,
      heard: this.#heard?.datagram,
      problems: this.#problems,
      rejected: this.#rejected,
      changes: this.#changes,
      now: performance.now(),
    });
  }

  /** Gives the addresses up, so that the peer need not wait for the end of a lease. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#targets.close();
    // Not an order of the operator: it does not outlast the process.
    this.#handle({ kind: 'order', order: { kind: 'maintenance', isOn: true, isForced: true } });
    await this.#addresses.release();
    this.#send();
    await Promise.all(this.#paths.map((path) => path.close()));
    await this.#options.store.close();
  }
}
