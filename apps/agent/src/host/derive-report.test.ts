import { fleet } from '@flotilla/proto';
import { expect, test } from 'vitest';
import { deriveReport, type ReportedService } from './derive-report.ts';

const SERVICE: ReportedService = {
  serviceId: 'edge',
  desiredGeneration: 5n,
  persistedGeneration: 3n,
  envoy: { phase: fleet.NodePhase.RUNNING, error: '', applied: 5n, settled: 5n, restarts: 2 },
  serving: { version: '1.36.2', bootstrapDigest: 'b0', pid: 77 },
  shield: { running: true, policyDigest: 'p0', policyError: '', settled: 5n, restarts: 0 },
  shieldHealth: undefined,
  listeners: [],
  adminError: '',
  isRemoved: false,
  sinceMs: 1_000,
};

test('a generation is reached once Envoy runs it and the filter has settled it', () => {
  expect(deriveReport(SERVICE).generation).toBe(5n);
  expect(deriveReport({ ...SERVICE, shield: { ...SERVICE.shield, settled: 4n } }).generation).toBe(4n);
  expect(deriveReport({ ...SERVICE, envoy: { ...SERVICE.envoy, applied: 4n } }).generation).toBe(4n);
});

test('what an earlier agent reported as reached stays so while this one finds out', () => {
  const envoy = { ...SERVICE.envoy, applied: 0n, settled: 0n };
  expect(deriveReport({ ...SERVICE, envoy, shield: { ...SERVICE.shield, settled: 0n } }).generation).toBe(3n);
});

test('an Envoy that has ended leaves its bootstrap in the report, and neither version nor process', () => {
  const report = deriveReport({ ...SERVICE, serving: { version: '1.36.2', bootstrapDigest: 'b0', pid: undefined } });
  expect(report).toMatchObject({ envoyVersion: '', envoyPid: 0, bootstrapDigest: 'b0' });
});

test('a service that was removed is stopped, at the generation that was wanted last', () => {
  const report = deriveReport({ ...SERVICE, isRemoved: true, envoy: { ...SERVICE.envoy, applied: 4n } });
  expect(report).toMatchObject({ removed: true, phase: fleet.NodePhase.STOPPED, generation: 5n });
  expect(deriveReport({ ...SERVICE, isRemoved: true, desiredGeneration: undefined }).generation).toBe(3n);
});
