import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { LogEntry } from '@flotilla/access-log';
import { fromFlagBits, toOperationId } from '@flotilla/inventory';
import { describe, expect, it } from 'vitest';
import type { Pipeline } from './pipeline.ts';
import { NOON_MS } from './testing/entries.ts';
import { collect, createPipeline, KEY, parseSettings } from './testing/pipeline.ts';

type Made = Partial<LogEntry>;
type Options = Parameters<typeof createPipeline>[0];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const RATES = { detection: { rate_anomaly: { enabled: true }, ip_rate: { enabled: true } } };

function repeat(count: number, make: (index: number) => Made): Made[] {
  return Array.from({ length: count }, (_, index) => ({ timeMs: NOON_MS + index * 10, ...make(index) }));
}

/** The numbers of the requests that have the flag. */
function flagged(pipeline: Pipeline, flag: string, entries: readonly Made[], nowMs = NOON_MS + HOUR_MS): number[] {
  const { events } = collect(pipeline, entries, { nowMs });
  return events.flatMap((event, index) => (fromFlagBits(event.flags ?? []).some((name) => name === flag) ? index : []));
}

function pack(pipeline: Pipeline, nowMs = NOON_MS + 1000): Uint8Array {
  const packed = pipeline.packDetectors(nowMs);
  if (packed === undefined) throw new Error('the state is too large');
  return packed;
}

/** A pipeline after a restart. Returns the complaint, too. */
function restart(packed: Uint8Array, options: Options = {}, nowMs = NOON_MS + 2000) {
  const pipeline = createPipeline(options);
  return { pipeline, complaint: pipeline.restoreDetectors(packed, nowMs) };
}

interface Unpacked {
  readonly detectors: Record<string, { options: string; states: unknown[] }> & {
    readonly response_size: { states: unknown[] };
  };
}

const unpack = (packed: Uint8Array) => JSON.parse(inflateRawSync(packed).toString('utf8')) as Unpacked;
const toPacked = (state: unknown) => deflateRawSync(JSON.stringify(state));

const usual = repeat(200, (index) => ({ responseBytes: 2000 + (index % 100), latencyUs: 20_000 + index }));
const large = repeat(2, () => ({ responseBytes: 5_000_000 }));
const login = { method: 'POST', path: '/login', status: 401 } as const;

describe('the state of detectors', () => {
  it('makes a baseline survive a restart, so that nothing has to be learned again', () => {
    const before = createPipeline();
    collect(before, usual, { nowMs: NOON_MS + HOUR_MS });
    const { pipeline, complaint } = restart(pack(before));
    expect(complaint).toBeUndefined();
    expect(flagged(pipeline, 'oversized_response', large)).toEqual([1]);
    expect(flagged(createPipeline(), 'oversized_response', large)).toEqual([]);
  });

  it('keeps the answers of a restored detector equal to those of one that was never stopped', () => {
    const traffic = repeat(400, (index) => ({
      ...(index % 7 === 0 && login),
      identityHash: (index % 3).toString(16).padStart(32, '0'),
      responseBytes: index % 50 === 0 ? 900_000 : 3000,
      latencyUs: index % 60 < 4 && index > 200 ? 2_000_000 : 15_000,
      status: index > 250 && index % 2 ? 404 : 200,
      path: index % 5 ? '/api/orders' : `/api/orders/${1000 + (index % 40)}`,
    }));
    const settings = { settings: { detection: { behavior: { startup_suppress_seconds: 0 }, ...RATES.detection } } };
    const whole = createPipeline(settings);
    collect(whole, traffic.slice(0, 230), { nowMs: NOON_MS + 2300 });
    const { pipeline } = restart(pack(whole, NOON_MS + 2300), { ...settings, learner: whole.learner }, NOON_MS + 2400);
    const flags = (one: Pipeline) =>
      collect(one, traffic.slice(230), { nowMs: NOON_MS + 5000 }).events.map((event) => event.flags);
    expect(flags(pipeline)).toEqual(flags(whole));
  });

  it('makes windows survive a restart: attempts before and after it are counted together', () => {
    const before = createPipeline();
    expect(
      flagged(
        before,
        'brute_force_suspect',
        repeat(8, () => login),
      ),
    ).toEqual([]);
    const { pipeline } = restart(pack(before), { learner: before.learner });
    expect(
      flagged(
        pipeline,
        'brute_force_suspect',
        repeat(4, () => login),
      ),
    ).toEqual([1, 2, 3]);
  });

  it('drops windows that are over, and keeps baselines for a week', () => {
    const before = createPipeline();
    collect(before, [...usual, ...repeat(9, () => login)], { nowMs: NOON_MS + HOUR_MS });
    const packed = pack(before);
    const sizesAfter = (ms: number) => {
      const { detectors } = restart(packed, {}, NOON_MS + ms).pipeline.sizes;
      return Object.fromEntries(detectors.flatMap(({ name, size }) => (size > 0 ? [[name, size]] : [])));
    };
    expect(sizesAfter(10_000)).toMatchObject({ brute_force: 2, response_size: 1 });
    expect(sizesAfter(HOUR_MS)).toEqual({ response_size: 1, behavior: 2 });
    expect(sizesAfter(8 * DAY_MS)).toEqual({});
  });

  it('counts nothing as newer than now when the clock has jumped back', () => {
    const before = createPipeline();
    collect(
      before,
      repeat(9, () => login),
      { nowMs: NOON_MS + HOUR_MS },
    );
    const { pipeline, complaint } = restart(pack(before), { learner: before.learner }, NOON_MS - DAY_MS);
    expect(complaint).toBeUndefined();
    const later = repeat(3, (index) => ({ ...login, timeMs: NOON_MS - DAY_MS + index }));
    expect(flagged(pipeline, 'brute_force_suspect', later, NOON_MS - DAY_MS + 10)).toEqual([0, 1, 2]);
  });

  it('is not used by a detector that has other options now, and is by the others', () => {
    const before = createPipeline();
    collect(before, [...usual, ...repeat(9, () => login)], { nowMs: NOON_MS + HOUR_MS });
    const settings = { detection: { brute_force: { threshold: 11 } } };
    const { detectors } = restart(pack(before), { settings }).pipeline.sizes;
    const sizes = Object.fromEntries(detectors.map(({ name, size }) => [name, size]));
    expect(sizes).toMatchObject({ brute_force: 0, response_size: 1 });
  });

  it('keeps what other detectors have seen when the options of one change', () => {
    const pipeline = createPipeline();
    collect(pipeline, [...usual, ...repeat(9, () => login)], { nowMs: NOON_MS + HOUR_MS });
    pipeline.update({ settings: parseSettings({ detection: { brute_force: { threshold: 11 } } }), key: KEY });
    const sizes = Object.fromEntries(pipeline.sizes.detectors.map(({ name, size }) => [name, size]));
    expect(sizes).toMatchObject({ brute_force: 0, response_size: 1 });
  });

  it('has no address, path, user agent, host or id of a request', () => {
    const before = createPipeline({ settings: RATES });
    const made = [
      ...repeat(30, (index) => ({ ...login, path: `/login/secret-path-${index}`, status: 404 })),
      ...repeat(30, () => ({ auth: 'none' as const, identityHash: '', status: 404, path: '/secret-path' })),
      ...repeat(9, () => ({ auth: 'signature' as const, requestId: 'secret-id', path: '/secret-path' })),
      ...usual,
    ].map((entry) => ({ ...entry, userAgent: 'secret-agent', sourceAddress: '192.0.2.77', authority: 'secret.test' }));
    collect(before, made, { nowMs: NOON_MS + HOUR_MS });
    const text = inflateRawSync(pack(before)).toString('utf8');
    const written = Object.entries(unpack(pack(before)).detectors);
    const used = written.flatMap(([name, { states }]) => (states.length > 0 ? [name] : []));
    expect(used).toEqual(expect.arrayContaining(['ip_rate', 'rate_anomaly', 'replay', 'path_scan', 'behavior']));
    expect(text).not.toMatch(/secret|192\.0\.2/);
    // The address as a number, in the bases that somebody may try.
    const number = 192 * 2 ** 24 + 2 * 2 ** 8 + 77;
    for (const base of [10, 16, 36]) expect(text).not.toContain(number.toString(base));
  });

  it('forgets what is normal for an operation that was reset, and for no other one', () => {
    const before = createPipeline();
    const carts = usual.map((entry) => ({ ...entry, path: '/api/carts' }));
    const { deltas } = collect(before, [...usual, ...carts], { nowMs: NOON_MS + HOUR_MS });
    const { pipeline } = restart(pack(before));
    const [orders] = deltas.filter(({ key }) => key.normalizedPath === '/api/orders');
    pipeline.forgetOperations(orders ? [toOperationId('project-1', orders.key)] : []);
    expect(flagged(pipeline, 'oversized_response', large)).toEqual([]);
    const others = large.map((entry) => ({ ...entry, path: '/api/carts' }));
    expect(flagged(pipeline, 'oversized_response', others)).toEqual([1]);
    pipeline.forgetOperations('all');
    expect(flagged(pipeline, 'oversized_response', others)).toEqual([]);
  });

  it('is not taken from another project: hashes and ids have nothing in common', () => {
    const before = createPipeline();
    collect(before, [...usual, ...repeat(9, () => login)], { nowMs: NOON_MS + HOUR_MS });
    const other = { project: 'project-2', knowledge: { key: new Uint8Array(32).fill(8) } };
    const { pipeline } = restart(pack(before), other);
    expect(flagged(pipeline, 'oversized_response', large)).toEqual([]);
    expect(
      flagged(
        pipeline,
        'brute_force_suspect',
        repeat(3, () => login),
      ),
    ).toEqual([]);
  });
});

describe('a state of detectors that cannot be used', () => {
  const before = createPipeline();
  collect(before, [...usual, ...repeat(9, () => login)], { nowMs: NOON_MS + HOUR_MS });
  const good = unpack(pack(before));

  it.each<[string, Uint8Array]>([
    ['that is empty', new Uint8Array()],
    ['that is no compressed text', Uint8Array.from({ length: 500 }, (_, index) => (index * 37) % 251)],
    ['that is cut', pack(before).subarray(0, 40)],
    ['that is no object', toPacked('text')],
    ['that is null', toPacked(null)],
    ['that has no detectors', toPacked({ format: 1, writtenMs: 1 })],
    ['of a newer format', toPacked({ ...good, format: 2 })],
    ['that is a bomb', deflateRawSync(Buffer.alloc(64 * 1024 * 1024, 32))],
  ])('%s is refused with a complaint, and nothing is taken', (_, packed) => {
    const { pipeline, complaint } = restart(packed);
    expect(complaint).toMatch(/^the state of (the )?detectors /);
    expect(pipeline.sizes.detectors.every(({ size }) => size === 0)).toBe(true);
    expect(flagged(pipeline, 'oversized_response', large)).toEqual([]);
  });

  it.each<[string, (row: unknown[]) => unknown]>([
    ['a value too many', (row) => [...row, 1]],
    ['a value too few', (row) => row.slice(0, -1)],
    ['a text for a number', (row) => row.map((value, index) => (index === 3 ? 'x' : value))],
    ['null for a number', (row) => row.map((value, index) => (index === 4 ? null : value))],
    ['a negative number of samples', (row) => row.map((value, index) => (index === 3 ? -5 : value))],
    ['a number for a key', (row) => row.map((value, index) => (index === 0 ? 7 : value))],
    ['a key of a megabyte', (row) => row.map((value, index) => (index === 0 ? 'x'.repeat(2 ** 20) : value))],
    ['no list', () => ({ length: 3 })],
  ])('in one detector, because of %s, spares the other detectors', (_, damage) => {
    const damaged = structuredClone(good);
    damaged.detectors.response_size.states = damaged.detectors.response_size.states.map((row) =>
      damage(row as unknown[]),
    );
    const { pipeline, complaint } = restart(toPacked(damaged));
    expect(complaint).toMatch(/damaged: response_size: /);
    const sizes = Object.fromEntries(pipeline.sizes.detectors.map(({ name, size }) => [name, size]));
    expect(sizes).toMatchObject({ response_size: 0, brute_force: 2 });
  });

  it('with more keys than a detector has is refused', () => {
    const damaged = structuredClone(good);
    const [row] = damaged.detectors.response_size.states;
    damaged.detectors.response_size.states = new Array(5000).fill(row);
    expect(restart(toPacked(damaged)).complaint).toContain('too many');
  });
});

describe('the size of the state of detectors', () => {
  it('has a bound when every key of every detector has as much as it may have, and the strongest keys survive', () => {
    const settings = { detection: { ...RATES.detection, bola: { threshold: 128 } } };
    const pipeline = createPipeline({ settings });
    const flood = Array.from({ length: 60_000 }, (_, index) => ({
      timeMs: NOON_MS + index / 2,
      path: `/api/orders/${index}`,
      status: 403 + (index % 2),
      identityHash: (index % 3000).toString(16).padStart(32, '0'),
      sourceAddress: `198.51.${(index >> 8) % 256}.${index % 256}`,
    }));
    for (let at = 0; at < flood.length; at += 10_000)
      collect(pipeline, flood.slice(at, at + 10_000), { nowMs: NOON_MS + 30_000 });
    const strong = repeat(400, () => ({ identityHash: 'f'.repeat(32) }));
    collect(pipeline, strong, { nowMs: NOON_MS + 30_000 });
    const packed = pack(pipeline, NOON_MS + 30_000);
    expect(packed.length).toBeLessThan(2 * 1024 * 1024);
    const restored = restart(packed, { settings }, NOON_MS + 30_000);
    expect(restored.complaint).toBeUndefined();
    const more = repeat(700, () => ({ timeMs: NOON_MS + 30_000, identityHash: 'f'.repeat(32) }));
    expect(flagged(restored.pipeline, 'rate_anomaly', more)[0]).toBeLessThan(700);
  });
});
