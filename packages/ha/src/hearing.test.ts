import { expect, it } from 'vitest';
import { describeSelf, Machine, startMember } from './machine.ts';
import type { Heartbeat, MemberConfig } from './model.ts';
import { TIMING } from './testing/timing.ts';

const CONFIG: MemberConfig = {
  slot: 1,
  priority: 100,
  hasPeer: true,
  isFencing: true,
  preempts: false,
  timing: TIMING,
};
const BEAT: Heartbeat = {
  slot: 0,
  role: 'standby',
  epoch: 3,
  priority: 200,
  isReady: true,
  isHolding: false,
  isReachable: true,
  isFencing: true,
  isPinned: false,
  hearsPeer: true,
  wantsHandover: false,
  isPrepared: false,
};

/** Whether a member says so that hears its peer now. `answeredAt` is when it sent what the peer had heard by then. */
function says(answeredAt: number | undefined, waitedMs = 0): boolean {
  const now = 10_000;
  const heard = { kind: 'heard', beat: BEAT, answeredAt } as const;
  const { state } = new Machine(CONFIG).step(startMember(3, now), heard, now);
  return describeSelf(CONFIG, state, now + waitedMs).hearsPeer;
}

it('a member says that it hears its peer while what it has heard is not older than the dead time', () => {
  expect(says(9990)).toBe(true);
  expect(says(9990, TIMING.deadMs - 20)).toBe(true);
  expect(says(9990, TIMING.deadMs)).toBe(false);
});

it('a member does not say that it hears its peer if the message was on the way for longer, or answers nothing', () => {
  expect(says(10_000 - TIMING.deadMs)).toBe(false);
  expect(says(undefined)).toBe(false);
});
