import { describe, expect, it } from 'vitest';
import { Machine, startMember } from './machine.ts';
import type { Event, Heartbeat, MemberConfig, Refusal } from './model.ts';
import { TIMING } from './testing/timing.ts';

const HOLD_MS = 2000;
const beat = { slot: 1, epoch: 1, priority: 100, isReady: true, isHolding: true, isReachable: true } as const;
const ACTIVE_PEER: Heartbeat = {
  ...beat,
  role: 'active',
  isFencing: true,
  isPinned: false,
  hearsPeer: true,
  wantsHandover: false,
  isPrepared: false,
};

/** One member that reaches its targets, and hears its peer only where the test says so. */
class Lone {
  readonly #machine: Machine;
  state = startMember(0, 0);
  refusal: Refusal | undefined;
  now = 0;

  constructor(more: Partial<MemberConfig> = {}) {
    const base = { slot: 0, priority: 200, hasPeer: true, isFencing: true, preempts: false, timing: TIMING } as const;
    this.#machine = new Machine({ ...base, ...more });
    this.give({ kind: 'reach', isReachable: true });
    this.wait(TIMING.bootWaitMs + TIMING.intervalMs);
  }

  give(event: Event): void {
    this.refusal = undefined;
    const { state, effects } = this.#machine.step(this.state, event, this.now);
    this.state = state;
    for (const effect of effects) {
      if (effect.kind === 'persist') this.give({ kind: 'persisted', epoch: effect.epoch });
      if (effect.kind === 'release') this.give({ kind: 'released' });
      if (effect.kind === 'refuse') this.refusal = effect.reason;
    }
  }

  wait(ms: number): void {
    for (const end = this.now + ms; this.now < end; ) {
      this.now += TIMING.intervalMs;
      this.give({ kind: 'tick' });
    }
  }

  order(): Refusal | undefined {
    this.give({ kind: 'order', order: { kind: 'yield', holdMs: HOLD_MS } });
    return this.refusal;
  }
}

describe('an active member that a third party asks to yield', () => {
  it('stands by without its addresses for as long as the order says, and then serves again', () => {
    const member = new Lone();
    expect(member.state.role).toBe('active');
    expect(member.order()).toBeUndefined();
    expect(member.state).toMatchObject({ role: 'standby', reason: 'arbitrated', isHolding: false });
    member.wait(HOLD_MS - TIMING.intervalMs);
    expect(member.state.role).toBe('standby');
    member.wait(2 * TIMING.intervalMs);
    expect(member.state).toMatchObject({ role: 'active', reason: 'peer_dead', epoch: 2 });
  });

  it('stands by for longer if the order is repeated', () => {
    const member = new Lone();
    member.order();
    for (let i = 0; i < 5; i += 1) {
      member.wait(HOLD_MS / 2);
      expect(member.order()).toBeUndefined();
    }
    expect(member.state.role).toBe('standby');
  });

  it('follows its peer again as soon as it hears it', () => {
    const member = new Lone();
    member.order();
    member.give({ kind: 'heard', beat: ACTIVE_PEER, answeredAt: member.now });
    member.wait(TIMING.deadMs + TIMING.intervalMs);
    expect(member.state).toMatchObject({ role: 'active', reason: 'peer_dead' });
  });

  it('serves at once if an operator says so', () => {
    const member = new Lone();
    member.order();
    member.give({ kind: 'order', order: { kind: 'start_alone' } });
    member.wait(TIMING.intervalMs);
    expect(member.state.role).toBe('active');
  });

  it('refuses while it hears its peer: then they settle it by themselves', () => {
    const member = new Lone();
    member.give({ kind: 'heard', beat: { ...ACTIVE_PEER, role: 'standby', isHolding: false }, answeredAt: undefined });
    expect(member.order()).toBe('peer_heard');
    expect(member.state.role).toBe('active');
  });

  it('refuses if it has no peer, or is not active', () => {
    expect(new Lone({ hasPeer: false }).order()).toBe('no_peer');
    const member = new Lone();
    member.give({ kind: 'order', order: { kind: 'maintenance', isOn: true, isForced: true } });
    expect(member.order()).toBe('not_active');
    expect(member.state.role).toBe('maintenance');
  });
});
