import type { Heartbeat, MemberConfig, MemberState, Reason } from './model.ts';

interface View {
  readonly config: MemberConfig;
  readonly state: MemberState;
  readonly now: number;
}

/** The decisions of the protocol, each by itself, so that tests can break one and see that the simulator notices. */
export interface Rules {
  /** The peer has not been heard for the dead time. */
  isPeerSilent(view: View): boolean;
  /** Without a sign of life from the peer, only a member that is connected may have the addresses. */
  isConnected(view: View): boolean;
  /** Whether an active member yields to a peer that is active, too. If both hear each other, exactly one does. */
  yieldsTo(view: View, beat: Heartbeat): boolean;
  /** A member that did not run for the dead time must assume that the peer has taken over. */
  sleptTooLong(view: View): boolean;
  /** Why this member should become active now. */
  findReason(view: View): Reason | undefined;
  /** The peer will give the addresses up as soon as this member is prepared. */
  isOffered(view: View): boolean;
  /** A new term is above every term that was seen. */
  nextEpoch(view: View): number;
  /** Whether the addresses wait until the epoch is on disk. */
  persistsFirst: boolean;
}

export const RULES: Rules = {
  isPeerSilent: ({ config, state, now }) => now - state.silentSince >= config.timing.deadMs,
  isConnected: ({ config, state }) => !config.isFencing || state.isReachable,
  yieldsTo: ({ config, state }, beat) => {
    // It cannot yield, because it may not know that this member is active.
    if (!beat.hearsPeer) return true;
    if (beat.epoch !== state.epoch) return beat.epoch > state.epoch;
    return beat.priority === config.priority ? beat.slot < config.slot : beat.priority > config.priority;
  },
  sleptTooLong: ({ config, state, now }) => now - state.ranAt >= config.timing.deadMs,
  findReason,
  isOffered: ({ config, state, now }) =>
    state.role === 'standby' &&
    state.peer?.role === 'demoting' &&
    state.peer.isHolding &&
    !RULES.isPeerSilent({ config, state, now }),
  nextEpoch: ({ state }) => state.seenEpoch + 1,
  persistsFirst: true,
};

/** The peer was heard, and what it said is not older than the dead time. Messages may be on the way for longer. */
export function knowsPeer({ config, state, now }: View): boolean {
  return state.answeredAt !== undefined && now - state.answeredAt < config.timing.deadMs;
}

/** A member that should serve and does not, because its disk is full for instance, has this long. */
const ELECTION_DEAD_TIMES = 4;

function findReason(view: View): Reason | undefined {
  const { config, state, now } = view;
  const { timing } = config;
  if (!config.hasPeer) return 'vacancy';
  if (RULES.isPeerSilent(view)) return findReasonAlone(view);
  const { peer } = state;
  if (!peer || peer.role === 'active') return undefined;
  if (peer.role === 'demoting') return peer.isHolding ? undefined : 'handover';
  // News of the peer's own take-over may still be on the way.
  if (state.idleSince === undefined || now - state.idleSince < timing.deadMs) return undefined;
  const isLate = now - state.idleSince >= ELECTION_DEAD_TIMES * timing.deadMs;
  return isLate || isBetter(view, peer) ? 'elected' : undefined;
}

function findReasonAlone(view: View): Reason | undefined {
  const { config, state, now } = view;
  const { timing } = config;
  if (!RULES.isConnected(view) || now < (state.yieldsUntil ?? now)) return undefined;
  if (state.role === 'init') {
    const hasWaited = now - state.startedAt >= timing.bootWaitMs;
    return hasWaited || state.mayStartAlone ? 'start_alone' : undefined;
  }
  const silences = isSuspended(view) ? timing.flap.silences : 1;
  return now - state.silentSince >= silences * timing.deadMs ? 'peer_dead' : undefined;
}

/** A suspended member takes over late, but it does: an address without a holder is worse than one that moves often. */
export function isSuspended({ config, state, now }: View): boolean {
  const { takeovers, windowMs } = config.timing.flap;
  return state.takeovers.filter((at) => now - at < windowMs).length > takeovers;
}

function isBetter({ config, state }: View, peer: Heartbeat): boolean {
  const canPeer = peer.role === 'standby' || peer.role === 'init';
  if (!canPeer) return true;
  if (state.isReady !== peer.isReady) return state.isReady;
  return config.priority > peer.priority;
}

/** Two members do not lose the same target at the same moment. */
function isPeerAloneCutOff({ config, state, now }: View): boolean {
  const { cutOffSince, isReachable, reachableSince } = state;
  if (cutOffSince === undefined || !config.isFencing || !isReachable) return false;
  return Math.min(now - cutOffSince, now - reachableSince) >= config.timing.deadMs;
}

/** Whether a standby asks the active peer for the addresses: its proxies or its network are down, or it has the lower priority. */
export function wantsHandover(view: View): boolean {
  const { config, state, now } = view;
  const { peer } = state;
  if (state.role !== 'standby' || peer?.role !== 'active' || !state.isReady) return false;
  if (!peer.isReady) return !peer.isPinned;
  if (isPeerAloneCutOff(view)) return !peer.isPinned;
  if (!config.preempts || config.priority < peer.priority || isSuspended(view)) return false;
  return now - state.readySince >= config.timing.preemptHoldMs && now - state.since >= config.timing.preemptHoldMs;
}
