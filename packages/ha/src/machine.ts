import type {
  Effect,
  Event,
  Heartbeat,
  MemberConfig,
  MemberState,
  Order,
  Reason,
  Refusal,
  Role,
  Step,
} from './model.ts';
import { knowsPeer, RULES, type Rules, wantsHandover } from './rules.ts';

/** So many dead times with an answering target end the fencing. */
const RECONNECTED_DEAD_TIMES = 3;

const NO_PEER = {
  peer: undefined,
  answeredAt: undefined,
  idleSince: undefined,
  cutOffSince: undefined,
  takeover: undefined,
};

/** A member whose process has just started. `epoch` is the one on its disk. */
export function startMember(epoch: number, now: number): MemberState {
  return {
    role: 'init',
    since: now,
    reason: 'started',
    epoch,
    seenEpoch: epoch,
    startedAt: now,
    ranAt: now,
    silentSince: now,
    peer: undefined,
    answeredAt: undefined,
    idleSince: undefined,
    cutOffSince: undefined,
    takeover: undefined,
    isHolding: false,
    isReachable: false,
    reachableSince: now,
    isReady: false,
    readySince: now,
    mayStartAlone: false,
    yieldsUntil: undefined,
    isPinned: false,
    handover: undefined,
    takeovers: [],
  };
}

export function describeSelf(config: MemberConfig, state: MemberState, now: number): Heartbeat {
  return {
    slot: config.slot,
    role: state.role,
    epoch: state.epoch,
    priority: config.priority,
    isReady: state.isReady,
    isHolding: state.isHolding,
    // Targets answer some time after the start.
    isReachable: state.isReachable || now - state.startedAt < RECONNECTED_DEAD_TIMES * config.timing.deadMs,
    isFencing: config.isFencing,
    isPinned: state.isPinned,
    hearsPeer: knowsPeer({ config, state, now }),
    wantsHandover: wantsHandover({ config, state, now }),
    isPrepared: state.takeover?.isOnDisk === true,
  };
}

/** The state of a member whose configuration changes. A new peer has one dead time to be heard. */
export function reconfigure(state: MemberState, config: { before: MemberConfig; after: MemberConfig }, now: number) {
  if (config.before.hasPeer || !config.after.hasPeer) return state;
  return { ...state, ...NO_PEER, silentSince: now };
}

/** Whether the member is to have the addresses. */
export function keepsAddresses({ role, handover }: MemberState): boolean {
  return role === 'active' || (role === 'demoting' && handover?.isReleased === false);
}

/**
 * One member of a pair of which at most one has the addresses. Pure: times are those of a clock that never jumps.
 *
 * init         started, has not heard its peer. Becomes standby when it does, or active after the boot wait
 * standby      does not have the addresses, and takes them when its peer is silent, hands over or cannot serve
 * active       has the addresses for one lease, and renews it with every tick
 * demoting     waits until the peer is prepared, gives the addresses up for it, and takes them back if it does not become active
 * fenced       was active, heard neither its peer nor a target, and has given the addresses up
 * maintenance  never takes the addresses
 */
export class Machine {
  readonly #config: MemberConfig;
  readonly #rules: Rules;

  constructor(config: MemberConfig, rules: Rules = RULES) {
    this.#config = config;
    this.#rules = rules;
  }

  step(state: MemberState, event: Event, now: number): Step {
    const turn = new Turn(this.#config, this.#rules, state, now);
    turn.notice();
    switch (event.kind) {
      case 'tick':
        turn.tick();
        break;
      case 'heard':
        turn.hear(event.beat, event.answeredAt);
        break;
      case 'reach':
        if (event.isReachable !== state.isReachable) turn.set({ isReachable: event.isReachable, reachableSince: now });
        break;
      case 'ready':
        if (event.isReady !== state.isReady) turn.set({ isReady: event.isReady, readySince: now });
        break;
      case 'persisted':
        turn.begin(event.epoch);
        break;
      case 'released':
        turn.noteReleased();
        break;
      case 'order':
        turn.obey(event.order);
        break;
    }
    return { state: turn.state, effects: turn.effects };
  }
}

class Turn {
  state: MemberState;
  readonly effects: Effect[] = [];
  readonly #config: MemberConfig;
  readonly #rules: Rules;
  readonly #now: number;

  constructor(config: MemberConfig, rules: Rules, state: MemberState, now: number) {
    this.#config = config;
    this.#rules = rules;
    this.state = state;
    this.#now = now;
  }

  set(change: Partial<MemberState>): void {
    this.state = { ...this.state, ...change };
  }

  emit(effect: Effect): void {
    this.effects.push(effect);
  }

  get #view() {
    return { config: this.#config, state: this.state, now: this.#now };
  }

  /** Whether an epoch is about to be on disk. A full disk may have room again later. */
  get #isStarting(): boolean {
    const { takeover } = this.state;
    return takeover !== undefined && this.#now - takeover.at < this.#config.timing.deadMs;
  }

  #become(role: Role, reason: Reason): void {
    this.set({ role, reason, since: this.#now, takeover: undefined });
    if (role !== 'demoting') this.set({ handover: undefined });
    this.emit({ kind: 'beat' });
  }

  #giveUp(role: Role, reason: Reason): void {
    this.emit({ kind: 'release' });
    this.#become(role, reason);
  }

  /** Runs before every event: those that waited while this member was asleep are old. */
  notice(): void {
    const hasSlept = this.#rules.sleptTooLong(this.#view);
    this.set({ ranAt: this.#now });
    if (hasSlept) this.#wake();
  }

  tick(): void {
    switch (this.state.role) {
      case 'active':
        this.#stayActive();
        break;
      case 'demoting':
        this.#awaitPeer();
        break;
      case 'fenced':
        this.#awaitConnection();
        break;
      case 'init':
      case 'standby':
        this.#consider();
        break;
      case 'maintenance':
        break;
    }
  }

  /** Forgets the peer: its last heartbeat is old, and the silence while asleep is no silence of the peer. */
  #wake(): void {
    this.set({ ...NO_PEER, silentSince: this.#now });
    if (this.state.role === 'active' || this.state.role === 'demoting') this.#giveUp('standby', 'paused');
  }

  #stayActive(): void {
    const view = this.#view;
    // Without a peer, nobody else could serve.
    const isAlone = this.#config.hasPeer && this.#rules.isPeerSilent(view);
    if (isAlone && !this.#rules.isConnected(view)) this.#giveUp('fenced', 'cut_off');
    else this.emit({ kind: 'renew' });
  }

  #awaitPeer(): void {
    const { handover } = this.state;
    if (!handover || this.#isStarting) return;
    if (!handover.isReleased) {
      this.#awaitPreparation(handover);
      return;
    }
    if (handover.next === 'standby' && this.#isAbandoned) this.#start('handover_timeout');
    if (this.#now < handover.until || this.#isStarting) return;
    if (handover.next === 'maintenance') this.#become('maintenance', 'maintenance');
    else this.#start('handover_timeout');
  }

  /** A peer that cannot prepare itself, because its disk is full for instance, could not serve. */
  #awaitPreparation({ prepareUntil, next }: NonNullable<MemberState['handover']>): void {
    if (this.#now < prepareUntil) this.emit({ kind: 'renew' });
    else if (next === 'standby') this.#become('active', 'handover_timeout');
    else this.#letGo();
  }

  get #isAbandoned(): boolean {
    return this.#rules.isPeerSilent(this.#view) && this.#rules.isConnected(this.#view);
  }

  /** The release of an earlier term may end after this one has begun. */
  noteReleased(): void {
    if (keepsAddresses(this.state)) return;
    this.set({ isHolding: false });
    this.emit({ kind: 'beat' });
  }

  #letGo(): void {
    const { handover } = this.state;
    if (!handover || handover.isReleased) return;
    this.set({ handover: { ...handover, isReleased: true } });
    this.emit({ kind: 'release' });
  }

  #awaitConnection(): void {
    const { isReachable, reachableSince } = this.state;
    const waitMs = RECONNECTED_DEAD_TIMES * this.#config.timing.deadMs;
    if (!isReachable || this.#now - reachableSince < waitMs) return;
    this.#become('init', 'reconnected');
    // It has listened for long enough.
    this.set({ startedAt: this.#now, mayStartAlone: true });
  }

  #consider(): void {
    const { takeover } = this.state;
    if (this.#isStarting && !takeover?.isOnDisk) return;
    const reason = this.#rules.findReason(this.#view);
    const isOffered = this.#rules.isOffered(this.#view);
    if (takeover?.isOnDisk && takeover.epoch >= this.#rules.nextEpoch(this.#view)) {
      if (reason !== undefined) this.begin(takeover.epoch);
      else if (!isOffered) this.set({ takeover: undefined });
    } else if (reason !== undefined) this.#start(reason);
    else if (isOffered) this.#start('handover');
    else this.set({ takeover: undefined });
  }

  #start(reason: Reason): void {
    const epoch = this.#rules.nextEpoch(this.#view);
    this.set({ takeover: { epoch, reason, at: this.#now, isOnDisk: false } });
    this.emit({ kind: 'persist', epoch });
    if (!this.#rules.persistsFirst) this.begin(epoch);
  }

  /** The epoch is on disk. The reason may have gone meanwhile. */
  begin(epoch: number): void {
    const { takeover, role } = this.state;
    if (takeover?.epoch !== epoch) return;
    const isTimeout = takeover.reason === 'handover_timeout';
    const reason = isTimeout ? takeover.reason : this.#rules.findReason(this.#view);
    if (reason === undefined && this.#rules.isOffered(this.#view)) {
      this.set({ takeover: { ...takeover, isOnDisk: true } });
      this.emit({ kind: 'beat' });
      return;
    }
    this.set({ takeover: undefined, seenEpoch: Math.max(this.state.seenEpoch, epoch) });
    if (role === 'active') this.set({ epoch });
    else if (reason !== undefined && (role === 'init' || role === 'standby' || role === 'demoting'))
      this.#serve(epoch, reason);
  }

  #serve(epoch: number, reason: Reason): void {
    const isPinned = reason === 'handover' && this.state.peer?.isPinned === true;
    this.set({ epoch, isPinned, isHolding: true, takeovers: this.#recentTakeovers() });
    this.emit({ kind: 'raise' });
    this.#become('active', reason);
  }

  #recentTakeovers(): number[] {
    const { windowMs } = this.#config.timing.flap;
    return [...this.state.takeovers.filter((at) => this.#now - at < windowMs), this.#now];
  }

  hear(beat: Heartbeat, answeredAt: number | undefined): void {
    const isIdle = beat.role !== 'active' && beat.role !== 'demoting';
    this.set({
      peer: beat,
      answeredAt: answeredAt ?? this.state.answeredAt,
      silentSince: this.#now,
      yieldsUntil: undefined,
      idleSince: isIdle ? (this.state.idleSince ?? this.#now) : undefined,
      cutOffSince: beat.isFencing && !beat.isReachable ? (this.state.cutOffSince ?? this.#now) : undefined,
      seenEpoch: Math.max(this.state.seenEpoch, beat.epoch),
    });
    switch (this.state.role) {
      case 'init':
        this.#become('standby', 'peer_heard');
        break;
      case 'standby':
        this.#consider();
        break;
      case 'active':
        this.#hearAsActive(beat);
        break;
      case 'demoting':
        // Whatever its term: this member has nothing left to defend.
        if (beat.role === 'active') this.#giveUp(this.state.handover?.next ?? 'standby', 'handover');
        else if (beat.isPrepared) this.#letGo();
        break;
      case 'fenced':
      case 'maintenance':
        break;
    }
  }

  #hearAsActive(beat: Heartbeat): void {
    const isAsked = beat.wantsHandover && beat.role === 'standby' && beat.isReady && !this.#hasJustFailed;
    if (beat.role === 'active') {
      if (this.#rules.yieldsTo(this.#view, beat)) this.#giveUp('standby', 'conflict');
      else this.emit({ kind: 'beat' });
    } else if (isAsked) this.#demote('standby', 'asked_by_peer');
    // The term of a member that serves is the highest one, so that a lower one is always an old one.
    else if (this.state.seenEpoch > this.state.epoch && !this.#isStarting) this.#start('conflict');
  }

  /** The peer did not take the addresses, and would not take them now. */
  get #hasJustFailed(): boolean {
    const { reason, since } = this.state;
    return reason === 'handover_timeout' && this.#now - since < this.#config.timing.handoverMs;
  }

  #demote(next: 'standby' | 'maintenance', reason: Reason, isPinned = false): void {
    const { deadMs, handoverMs } = this.#config.timing;
    const prepareUntil = this.#now + Math.min(deadMs, handoverMs / 2);
    this.set({ handover: { prepareUntil, until: this.#now + handoverMs, next, isReleased: false }, isPinned });
    this.#become('demoting', reason);
  }

  obey(order: Order): void {
    switch (order.kind) {
      case 'clear':
        this.set({ takeovers: [] });
        break;
      case 'start_alone':
        this.set({ mayStartAlone: true, yieldsUntil: undefined });
        break;
      case 'failover':
        this.#failOver(order.isForced);
        break;
      case 'maintenance':
        if (order.isOn) this.#retire(order.isForced);
        else this.#return();
        break;
      case 'yield':
        this.#yield(order.holdMs);
        break;
    }
  }

  /** Members that hear each other settle it by themselves, and would move the addresses twice otherwise. */
  #yield(holdMs: number): void {
    const { role, yieldsUntil } = this.state;
    const refusal = this.#refuseYield(role === 'active' || (role === 'standby' && yieldsUntil !== undefined));
    if (refusal) this.emit({ kind: 'refuse', reason: refusal });
    else {
      if (role === 'active') this.#giveUp('standby', 'arbitrated');
      this.set({ yieldsUntil: this.#now + holdMs });
    }
  }

  #refuseYield(isConcerned: boolean): Refusal | undefined {
    if (!this.#config.hasPeer) return 'no_peer';
    if (!this.#rules.isPeerSilent(this.#view)) return 'peer_heard';
    return isConcerned ? undefined : 'not_active';
  }

  #failOver(isForced: boolean): void {
    const refusal = this.state.role === 'active' ? this.#refuseHandover(isForced) : 'not_active';
    if (refusal) this.emit({ kind: 'refuse', reason: refusal });
    else this.#demote('standby', 'asked_by_operator', isForced);
  }

  /** A force hands over to a peer that is not ready, never to one that nobody hears. */
  #refuseHandover(isForced: boolean): Refusal | undefined {
    const { peer } = this.state;
    if (!peer || this.#rules.isPeerSilent(this.#view)) return 'no_peer';
    if (peer.role === 'maintenance') return 'peer_in_maintenance';
    return isForced || (peer.role === 'standby' && peer.isReady) ? undefined : 'peer_not_ready';
  }

  #retire(isForced: boolean): void {
    if (this.state.role === 'maintenance') return;
    const refusal = this.state.role === 'active' ? this.#refuseHandover(false) : undefined;
    if (this.state.role === 'active' && !refusal) this.#demote('maintenance', 'maintenance');
    else if (refusal && !isForced) this.emit({ kind: 'refuse', reason: refusal });
    else this.#giveUp('maintenance', 'maintenance');
  }

  #return(): void {
    if (this.state.role !== 'maintenance') return;
    this.#become('init', 'maintenance');
    this.set({ startedAt: this.#now });
  }
}
