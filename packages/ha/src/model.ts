/** The role of a member of a pair. `unpaired` is a daemon without a configuration, which has no machine. */
export type Role = 'init' | 'active' | 'standby' | 'demoting' | 'maintenance' | 'fenced';

/** Times in milliseconds. */
export interface Timing {
  readonly intervalMs: number;
  /** Without a heartbeat for this long, the peer is silent: interval times misses. */
  readonly deadMs: number;
  /** The kernel removes an address this long after its holder last renewed it, also if the holder is frozen or dead. */
  readonly leaseMs: number;
  /** How long a member that just started waits for its peer before it serves alone. */
  readonly bootWaitMs: number;
  /** How long a member that hands over waits for the peer to be active, before it takes the addresses back. */
  readonly handoverMs: number;
  /** How long a member must have been ready before it asks for the addresses because of its priority. */
  readonly preemptHoldMs: number;
  readonly flap: FlapLimit;
}

/** More take-overs than `takeovers` within `windowMs` suspend a member: it waits for `silences` dead times instead of one. */
export interface FlapLimit {
  readonly takeovers: number;
  readonly windowMs: number;
  readonly silences: number;
}

export interface MemberConfig {
  readonly slot: 0 | 1;
  /** Higher serves when both can. The two members differ. */
  readonly priority: number;
  /** False: the other slot is empty. */
  readonly hasPeer: boolean;
  /** Whether there is a gateway or a fence target whose answers show that this member is connected. */
  readonly isFencing: boolean;
  /** Whether a member of higher priority takes the addresses from one that serves. */
  readonly preempts: boolean;
  readonly timing: Timing;
}

/** The content of a heartbeat that concerns the roles. The datagram has more. */
export interface Heartbeat {
  readonly slot: 0 | 1;
  readonly role: Role;
  /** The newest term in which the sender was active. */
  readonly epoch: number;
  readonly priority: number;
  /** The sender's proxies run with the newest configuration. */
  readonly isReady: boolean;
  /** The sender may still have the addresses. */
  readonly isHolding: boolean;
  /** A target of the sender answers, or may not have been asked yet. */
  readonly isReachable: boolean;
  /** The sender has targets. */
  readonly isFencing: boolean;
  /** An operator insisted on the sender, although it was not ready. */
  readonly isPinned: boolean;
  /** The sender has heard the receiver, with something that was sent within the dead time. */
  readonly hearsPeer: boolean;
  /** The sender asks the active member to hand over. */
  readonly wantsHandover: boolean;
  /** The sender can begin its term at once, as soon as the receiver has given the addresses up. */
  readonly isPrepared: boolean;
}

/** Why a member changed its role. Stored in its history. */
export type Reason =
  | 'started'
  | 'peer_heard'
  | 'vacancy'
  | 'start_alone'
  | 'peer_dead'
  | 'elected'
  | 'handover'
  | 'handover_timeout'
  | 'asked_by_peer'
  | 'asked_by_operator'
  | 'conflict'
  | 'arbitrated'
  | 'paused'
  | 'cut_off'
  | 'reconnected'
  | 'maintenance';

export interface MemberState {
  readonly role: Role;
  readonly since: number;
  readonly reason: Reason;
  /** The newest term in which this member was active. On disk before the addresses are raised. */
  readonly epoch: number;
  /** The highest epoch of both members. */
  readonly seenEpoch: number;
  readonly startedAt: number;
  /** When this member last handled an event. */
  readonly ranAt: number;
  /** When the peer was last heard, or when this member began to listen. */
  readonly silentSince: number;
  /** The newest heartbeat; undefined until one is heard. */
  readonly peer: Heartbeat | undefined;
  /** The newest heartbeat of the peer is not older than this. Undefined: its age is not known. */
  readonly answeredAt: number | undefined;
  /** Since when the peer has reported that it is not active. */
  readonly idleSince: number | undefined;
  /** Since when the peer has reported that none of its targets answers. */
  readonly cutOffSince: number | undefined;
  /** A term that begins when its epoch is on disk, and the peer has given the addresses up. */
  readonly takeover: Takeover | undefined;
  readonly isHolding: boolean;
  /** The state of the gateway and the fence targets: one of them answers. */
  readonly isReachable: boolean;
  readonly reachableSince: number;
  readonly isReady: boolean;
  readonly readySince: number;
  readonly mayStartAlone: boolean;
  /** A third party that hears the peer wants this member to stand by until then, although this member does not hear it. */
  readonly yieldsUntil: number | undefined;
  /** While active or demoting: an operator insists on the peer of the one that hands over. */
  readonly isPinned: boolean;
  /** While demoting. */
  readonly handover: Handover | undefined;
  /** When this member became active, oldest first. */
  readonly takeovers: readonly number[];
}

interface Takeover {
  readonly epoch: number;
  readonly reason: Reason;
  readonly at: number;
  readonly isOnDisk: boolean;
}

interface Handover {
  /** How long the addresses stay here if the peer does not say that it is prepared. */
  readonly prepareUntil: number;
  readonly until: number;
  readonly next: 'standby' | 'maintenance';
  readonly isReleased: boolean;
}

export type Order =
  | { readonly kind: 'failover'; readonly isForced: boolean }
  | { readonly kind: 'maintenance'; readonly isOn: boolean; readonly isForced: boolean }
  | { readonly kind: 'clear' }
  | { readonly kind: 'start_alone' }
  /** Stands by for the peer, which is active and not heard. Repeat it to hold for longer. */
  | { readonly kind: 'yield'; readonly holdMs: number };

export type Event =
  | { readonly kind: 'tick' }
  /** `answeredAt` is when this member had sent the newest heartbeat that the peer had heard by then; undefined: it had heard none. */
  | { readonly kind: 'heard'; readonly beat: Heartbeat; readonly answeredAt: number | undefined }
  | { readonly kind: 'reach'; readonly isReachable: boolean }
  | { readonly kind: 'ready'; readonly isReady: boolean }
  /** The epoch is on disk. */
  | { readonly kind: 'persisted'; readonly epoch: number }
  /** The addresses are gone. */
  | { readonly kind: 'released' }
  | { readonly kind: 'order'; readonly order: Order };

export type Refusal = 'not_active' | 'no_peer' | 'peer_heard' | 'peer_in_maintenance' | 'peer_not_ready';

export type Effect =
  /** Writes the epoch to disk, then sends the event `persisted`. */
  | { readonly kind: 'persist'; readonly epoch: number }
  /** Adds the addresses for one lease and announces them. */
  | { readonly kind: 'raise' }
  /** Extends the lease. */
  | { readonly kind: 'renew' }
  /** Removes the addresses, then sends the event `released`. */
  | { readonly kind: 'release' }
  /** Sends a heartbeat now. One goes out with every tick anyway. */
  | { readonly kind: 'beat' }
  | { readonly kind: 'refuse'; readonly reason: Refusal };

export interface Step {
  readonly state: MemberState;
  readonly effects: readonly Effect[];
}
