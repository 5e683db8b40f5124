import { type MemberReport, reportSchema } from '@flotilla/ha';
import { describe, expect, it } from 'vitest';
import { deriveReport, describeEssence, describeSilent, readReport, toResult } from './member-report.ts';

const PATH = {
  network: 'data',
  local: '192.0.2.1',
  peer: '192.0.2.2',
  up: true,
  last_rx_ms: 1,
  loss_pct: 0,
  rtt_ms: 1,
};
const ANSWER: MemberReport = {
  ...describeSilent(undefined),
  role: 'active',
  epoch: 7,
  daemon: 'running',
  pair_id: '0190f5a2-0000-7000-8000-00000000000a',
  paths: [PATH as MemberReport['paths'][number]],
  vips: [
    {
      vip: '192.0.2.10',
      interface: 'eth0',
      service_id: null,
      service: null,
      admin_port: null,
      unit: null,
      present: true,
      healthy: true,
      held: true,
      ready: true,
      holder: 'self',
    },
  ],
  terms: [{ epoch: 7, raised_at: '2026-01-01T00:00:00Z', released_at: null }],
};
const seen = { answer: ANSWER, daemon: 'running', alarms: [], config: undefined } as const;
const change = (at: number) => ({
  at: new Date(at).toISOString(),
  from: 'standby' as const,
  role: 'active' as const,
  epoch: 7,
  reason: 'x'.repeat(64),
  peer_role: null,
  peer_epoch: null,
  gateway_reachable: true,
  silent_ms: null,
});

describe('the report of a member', () => {
  it('is what the daemon says while it runs, and still while it is silent', () => {
    expect(deriveReport(seen)).toEqual(ANSWER);
    expect(deriveReport({ ...seen, daemon: 'stale' })).toEqual({ ...ANSWER, daemon: 'stale' });
  });

  it('says nothing of a daemon that is gone but its history', () => {
    const gone = deriveReport({ ...seen, daemon: 'absent' });
    expect(gone).toMatchObject({ daemon: 'absent', reason: 'daemon_absent', role: 'unpaired', vips: [], epoch: 7 });
    expect(gone.terms).toEqual(ANSWER.terms);
    expect(deriveReport({ ...seen, answer: undefined, daemon: 'stale' })).toMatchObject({ reason: 'daemon_silent' });
  });

  it('begins with the alarms of the agent, and is bounded', () => {
    const alarm = { code: 'config_refused', level: 'error' as const, message: 'x'.repeat(100_000) };
    const alarms = Array.from({ length: 300 }, () => alarm);
    const answer = {
      ...ANSWER,
      alarms: alarms.slice(0, 100),
      changes: Array.from({ length: 200 }, (_, n) => change(n)),
    };
    const report = deriveReport({ ...seen, answer, daemon: 'misconfigured', alarms: alarms.slice(0, 3) });
    expect(reportSchema.safeParse(report).success).toBe(true);
    expect(report.alarms).toHaveLength(100);
    expect(report.changes).toHaveLength(200);
    expect(Buffer.byteLength(JSON.stringify(report))).toBeLessThan(256 * 1024);
    const wide = deriveReport({
      ...seen,
      answer: { ...answer, rejected: Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`reason-${n}`, n])) },
    });
    expect(Buffer.byteLength(JSON.stringify(wide))).toBeLessThan(256 * 1024);
    expect(wide.changes.at(-1)).toEqual(change(199));
  });

  it('differs in essence when the role, an address or a path changes, and not with counters and times', () => {
    const essence = describeEssence(ANSWER);
    const same = { ...ANSWER, clock_skew_ms: 9, rejected: { old: 4 }, paths: [{ ...PATH, rtt_ms: 3, last_rx_ms: 99 }] };
    expect(describeEssence(same as MemberReport)).toBe(essence);
    const skewed = (ms: number) => ({
      ...ANSWER,
      alarms: [{ code: 'clock_skew', level: 'warn', message: `${ms} ms` }],
    });
    expect(describeEssence(skewed(1) as MemberReport)).toBe(describeEssence(skewed(2) as MemberReport));
    for (const other of [
      { role: 'standby' },
      { peer_ok: true },
      { paths: [{ ...PATH, up: false }] },
      { changes: [change(1)] },
      { vips: [] },
      { alarms: [{ code: 'a', level: 'warn', message: '' }] },
    ])
      expect(describeEssence({ ...ANSWER, ...other } as MemberReport), JSON.stringify(other)).not.toBe(essence);
  });

  it('of a command has no history', () => {
    expect(toResult(ANSWER)).not.toHaveProperty('terms');
    expect(toResult(ANSWER)).toMatchObject({ role: 'active', vips: ANSWER.vips });
  });
});

describe('the answer of a daemon', () => {
  it('of an older version is completed', () => {
    const { vips: _, terms: __, pair_id: ___, bound_ms: ____, ...older } = ANSWER;
    const [vip] = ANSWER.vips;
    const known = { vip: vip?.vip, interface: 'eth0', held: true, ready: true, holder: 'self' };
    expect(readReport({ ...older, vips: [known] })).toMatchObject({
      role: 'active',
      vips: [{ ...known, service_id: null, present: false }],
      terms: [],
      pair_id: null,
    });
  });

  it.each([
    undefined,
    null,
    7,
    'active',
    [],
    {},
    { role: 'king' },
    { role: 'active', epoch: -1 },
    { role: 'active', vips: [7] },
  ])('%o is no report', (value) => {
    expect(readReport(value)).toBeUndefined();
  });
});
