import { Machine, reconfigure, startMember } from '../machine.ts';
import type { Event, MemberConfig, MemberState } from '../model.ts';
import { type Accepted, NOTHING_ACCEPTED } from '../replay-guard.ts';
import type { Rules } from '../rules.ts';

/** A host of the pair, with what its kernel and its disk remember. */
export class SimulatedMember {
  config: MemberConfig;
  machine: Machine;
  state: MemberState;
  isUp = true;
  isFrozen = false;
  isDiskFull = false;
  isReady = true;
  /** Counts starts, so that what belongs to an earlier one is ignored. */
  boot = 1;
  diskEpoch = 0;
  diskBusyUntil = 0;
  /** The term in which it raised the addresses last. */
  raisedEpoch = 0;
  /** Since when this member has been healthy and its peer dead. */
  aloneSince = 0;
  /** When the kernel removes the addresses; 0 without them. */
  heldUntil = 0;
  sequence = 0;
  /** When the datagrams of this start were sent, by sequence. */
  readonly sentAt = new Map<number, number>();
  heard: Accepted = NOTHING_ACCEPTED;
  /** Questions to the gateway in a row that had no answer. */
  missedProbes = 0;
  /** Events that wait for a frozen process. */
  readonly waiting: Event[] = [];

  readonly #rules: Rules;

  constructor(config: MemberConfig, rules: Rules) {
    this.#rules = rules;
    this.config = config;
    this.machine = new Machine(config, rules);
    this.state = startMember(0, 0);
  }

  reconfigure(change: Partial<MemberConfig>, now: number): void {
    const before = this.config;
    this.config = { ...before, ...change };
    this.machine = new Machine(this.config, this.#rules);
    this.state = reconfigure(this.state, { before, after: this.config }, now);
  }
}
