import { commandRolloutBodySchema } from '@flotilla/contract';
import { describe, expect, it } from 'vitest';
import { decide, judge, nameClients, type RolloutParams, type RolloutTarget, splitWaves, toSchedule } from './model.ts';

const body = (more: object = {}) => commandRolloutBodySchema.parse({ type: 'SERVICE', ...more });
const START = new Date('2026-11-27T10:00:00Z');
const after = (seconds: number) => new Date(START.getTime() + seconds * 1000);

const params = (clients: number, more: object = {}): RolloutParams => ({
  type: 'SERVICE',
  sub_type: 'SUB_RESTART',
  command: {},
  service: null,
  clients: Array.from({ length: clients }, (_, i) => ({ id: `c${i}`, name: `edge-${i}` })),
  ...toSchedule(body({ wave_size: 2, ...more }), clients),
});

const sent = (wave: number, statuses: readonly string[], settled: Date | null = null): RolloutTarget[] =>
  statuses.map((status, i) => ({
    client_id: `w${wave}-${i}`,
    wave,
    sent_at: START,
    settled_at: settled,
    refusal: null,
    commands: [{ id: `k${wave}-${i}`, status, error: status === 'failed' ? 'It broke.' : null }],
  }));

describe('the waves of a rollout', () => {
  it.each([
    [7, {}, [1, 1, 1, 1, 1, 1, 1]],
    [25, {}, [3, 3, 3, 3, 3, 3, 3, 3, 1]],
    [5, { wave_size: 2 }, [2, 2, 1]],
    [5, { wave_size: 3, first_wave: 1 }, [1, 3, 1]],
    [3, { wave_size: 1000 }, [3]],
    [3, { first_wave: 9, wave_size: 1 }, [3]],
    [3, { wave_percent: 100 }, [3]],
    [1000, { wave_percent: 33, first_wave: 1 }, [1, 330, 330, 330, 9]],
  ])('%i clients with %j make waves of %j', (count, more, sizes) => {
    const clients = Array.from({ length: count }, (_, i) => i);
    const waves = splitWaves(clients, toSchedule(body(more), count));
    expect(waves.map((wave) => wave.length)).toEqual(sizes);
    expect(waves.flat()).toEqual(clients);
  });

  it('stops at the first failure unless another limit is given', () => {
    expect(toSchedule(body(), 4)).toMatchObject({ stop_at_failures: 1, stop_at_failed_percent: null });
    expect(toSchedule(body({ stop_at_failed_percent: 20 }), 4)).toMatchObject({ stop_at_failures: null });
    expect(toSchedule(body({ stop_at_failures: 3 }), 4)).toMatchObject({ stop_at_failures: 3 });
  });
});

describe('the next action of a rollout', () => {
  it('sends the first wave, waits for it, ends it, pauses and sends the next one', () => {
    const plan = params(4, { pause_s: 30, wait_s: 60 });
    expect(decide(plan, [], START)).toEqual({ kind: 'send', wave: 0 });
    expect(decide(plan, sent(0, ['done', 'running']), after(10))).toEqual({
      kind: 'wait',
      commandIds: ['k0-1'],
      forMs: 50_000,
      sinceMs: 10_000,
    });
    expect(decide(plan, sent(0, ['done', 'done']), after(10))).toEqual({ kind: 'settle', wave: 0 });
    const settled = sent(0, ['done', 'done'], after(10));
    expect(decide(plan, settled, after(15))).toEqual({ kind: 'pause', forMs: 25_000 });
    expect(decide(plan, settled, after(40))).toEqual({ kind: 'send', wave: 1 });
    const both = [...settled, ...sent(1, ['done', 'done'], after(50))];
    expect(decide(plan, both, after(50))).toEqual({ kind: 'end', isStopped: false });
  });

  it('ends a wave when its time is over, and counts a client that is not done as failed', () => {
    const plan = params(4, { wait_s: 60 });
    expect(decide(plan, sent(0, ['done', 'pending']), after(60))).toEqual({ kind: 'settle', wave: 0 });
    const settled = sent(0, ['done', 'pending'], after(60));
    expect(decide(plan, settled, after(61))).toEqual({ kind: 'end', isStopped: true });
    expect(judge(settled[1] as RolloutTarget, 60)).toEqual({
      kind: 'failed',
      reason: 'The client has not ended within 60 s.',
    });
    expect(decide(plan, sent(0, ['done', 'done'], after(60)), after(61)).kind).toBe('send');
  });

  it.each([
    ['the first failure', {}, ['done', 'failed'], true],
    ['fewer failures than the limit', { stop_at_failures: 2 }, ['done', 'failed'], false],
    ['as many failures as the limit', { stop_at_failures: 2 }, ['unknown', 'refused'], true],
    ['a smaller share than the limit', { stop_at_failed_percent: 51 }, ['done', 'failed'], false],
    ['the share of the limit', { stop_at_failed_percent: 50 }, ['done', 'failed'], true],
    ['whichever limit comes first', { stop_at_failed_percent: 90, stop_at_failures: 1 }, ['done', 'failed'], true],
    ['no failure', {}, ['done', 'done'], false],
  ])('stops or continues: %s', (_, more, statuses, stops) => {
    const next = decide(params(4, more), sent(0, statuses, after(1)), after(2));
    expect(next).toEqual(stops ? { kind: 'end', isStopped: true } : { kind: 'send', wave: 1 });
  });

  it('judges a client by all of its commands', () => {
    const [one] = sent(0, ['done']);
    const of = (statuses: readonly string[], refusal: string | null = null) =>
      judge(
        {
          ...(one as RolloutTarget),
          refusal,
          commands: statuses.map((status) => ({ id: status, status, error: null })),
        },
        9,
      );
    expect(of(['done', 'done']).kind).toBe('done');
    expect(of(['done', 'running']).kind).toBe('open');
    expect(of(['running', 'unknown'])).toEqual({ kind: 'failed', reason: 'The command ended as unknown.' });
    expect(of([], 'It is not connected.')).toEqual({ kind: 'failed', reason: 'It is not connected.' });
  });
});

it('clients with equal names have different targets', () => {
  const names = nameClients([
    { id: 'a', name: 'edge' },
    { id: 'b', name: 'edge' },
    { id: 'c', name: 'core' },
  ]);
  expect([...names.values()]).toEqual(['edge (a)', 'edge (b)', 'core']);
});
