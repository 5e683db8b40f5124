import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../model/json.ts';
import {
  CHECK_KINDS,
  createCheck,
  DURATIONS,
  readChecks,
  THRESHOLDS,
  writeTarget,
  writeTiming,
} from './health-checks.ts';
import { writeMember } from './members.ts';

const rowsOf = (items: readonly Json[]) => {
  const found = readChecks(items);
  if (!found.isSimple) throw new Error(found.reason);
  return found.rows;
};
const rowOf = (item: Json) => rowsOf([item])[0];
const problemsOf = (item: Json) => rowOf(item)?.problems.map(({ cell }) => cell);

describe('health checks', () => {
  it.each<[Json, object]>([
    [{ http_health_check: { path: '/a', host: 'b' } }, { kind: 'http_health_check', target: '/a', others: ['host'] }],
    [{ httpHealthCheck: { path: '/a' } }, { kind: 'http_health_check', target: '/a', others: [] }],
    [{ grpcHealthCheck: { serviceName: 's' } }, { kind: 'grpc_health_check', target: 's' }],
    [{ tcp_health_check: { send: {} } }, { kind: 'tcp_health_check', target: undefined, others: ['send'] }],
    [{ custom_health_check: { name: 'x' } }, { kind: 'custom', target: undefined, others: [] }],
    [{ reuse_connection: false }, { kind: undefined, target: undefined, others: ['reuse_connection'] }],
  ])('%j is a row', (item, row) => {
    expect(rowOf(item)).toMatchObject(row);
  });

  it.each<[Json, string]>([
    [{}, 'The health checks are not a list.'],
    [['x'], 'Health check 1 is not an object.'],
    [[createCheck(), { $ref: 'x' }], 'Health check 2 contains a reference.'],
    [[{ http_health_check: { $ref: 'x' } }], 'Health check 1 contains a reference.'],
    [[{ http_health_check: {}, tcpHealthCheck: {} }], 'Health check 1 has several kinds.'],
    [[{ http_health_check: 'x' }], 'Health check 1 has a value of a wrong type.'],
    [[{ http_health_check: { path: 5 } }], 'Health check 1 has a value of a wrong type.'],
    [[{ interval: { seconds: 1 } }], 'Health check 1 has a value of a wrong type.'],
    [[{ healthy_threshold: true }], 'Health check 1 has a value of a wrong type.'],
  ])('%j are left to the full form, with a reason', (value, reason) => {
    expect(readChecks(value)).toEqual({ isSimple: false, reason });
  });

  it('have problems that Envoy would refuse', () => {
    expect(problemsOf(createCheck())).toEqual([]);
    expect(problemsOf({})).toEqual(['kind', 'interval', 'timeout', 'unhealthy_threshold', 'healthy_threshold']);
    expect(problemsOf({ ...createCheck(), http_health_check: {} })).toEqual(['target']);
    for (const interval of ['0s', '-1s', 'soon', '5', 5])
      expect(problemsOf({ ...createCheck(), interval })).toEqual(['interval']);
    for (const healthy_threshold of [-1, 1.5, 'many', 4_294_967_296])
      expect(problemsOf({ ...createCheck(), healthy_threshold })).toEqual(['healthy_threshold']);
    for (const healthy_threshold of [0, '3', 4_294_967_295])
      expect(problemsOf({ ...createCheck(), healthy_threshold })).toEqual([]);
  });
});

const others = fc.dictionary(
  fc.constantFrom('host', 'reuse_connection', 'unknown', '__proto__', 'altPort'),
  fc.jsonValue() as fc.Arbitrary<Json>,
);
const anyCheck = fc
  .record({ item: others, inner: others, kind: fc.constantFrom(...CHECK_KINDS), text: fc.string() })
  .map(
    ({ item, inner, kind, text }): JsonObject => ({
      ...item,
      ...createCheck(),
      http_health_check: null,
      [kind]: {
        ...inner,
        ...(kind === 'http_health_check' && { path: text }),
        ...(kind === 'grpc_health_check' && { serviceName: text }),
      },
    }),
  );

describe('a change of a health check', () => {
  it('of what is checked keeps everything else', () => {
    const without = (item: JsonObject) =>
      writeMember(
        writeMember(item, ['http_health_check', 'path'], undefined),
        ['grpc_health_check', 'service_name'],
        undefined,
      );
    fc.assert(
      fc.property(anyCheck, fc.string(), (item, text) => {
        const row = rowOf(item);
        expect(writeTarget(item, row?.target ?? '')).toBe(item);
        const next = writeTarget(item, text);
        expect(without(next)).toEqual(without(item));
        expect(rowOf(next)?.target).toBe(row?.target === undefined ? undefined : text);
      }),
    );
  });

  it('of a duration or a threshold keeps everything else', () => {
    const value = fc.oneof(fc.string({ minLength: 1 }), fc.nat());
    fc.assert(
      fc.property(anyCheck, fc.constantFrom(...DURATIONS, ...THRESHOLDS), value, (item, cell, written) => {
        const next = writeTiming(item, cell, written);
        expect(writeMember(next, [cell], undefined)).toEqual(writeMember(item, [cell], undefined));
        expect(rowOf(next)?.timings[cell]).toBe(written);
      }),
    );
  });
});
