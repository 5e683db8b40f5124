import { describe, expect, it } from 'vitest';
import { type EnvoyJson, shieldExtProcConfig } from './envoy-filter.ts';
import { type FilterDemands, findFilterFaults } from './envoy-filter-faults.ts';

const BODIES: FilterDemands = { bodyMaxBytes: 1000, budgetMs: 50 };
const HEADERS: FilterDemands = { bodyMaxBytes: 0, budgetMs: 50 };
const config = shieldExtProcConfig();
const modeWith = (change: EnvoyJson) => ({ processing_mode: { ...(config.processing_mode as EnvoyJson), ...change } });

describe('the filter in Envoy', () => {
  it('has no faults if it was generated, or if it always sends bodies', () => {
    expect(findFilterFaults(config, BODIES)).toEqual([]);
    const always = { ...config, ...modeWith({ request_body_mode: 'BUFFERED_PARTIAL' }), allow_mode_override: false };
    expect(findFilterFaults(always, BODIES)).toEqual([]);
  });

  it.each<[string, EnvoyJson]>([
    ['failure_mode_allow', { failure_mode_allow: true }],
    ['observability_mode', { observability_mode: true }],
    ['disable_immediate_response', { disable_immediate_response: true }],
    ['request_header_mode', modeWith({ request_header_mode: 'SKIP' })],
    ['request_header_mode', modeWith({ request_header_mode: 2 })],
    ['request_body_mode', modeWith({ request_body_mode: 'STREAMED' })],
    ['request_body_mode', modeWith({ request_body_mode: 2 })],
    ['forward_rules', { forward_rules: { disallowed_headers: { patterns: [{ exact: 'x-api-key' }] } } }],
    ['message_timeout', { message_timeout: '0.049s' }],
  ])('has a fault if %s differs from what the filter needs, for every policy', (field, change) => {
    for (const demands of [BODIES, HEADERS]) {
      const faults = findFilterFaults({ ...config, ...change }, demands);
      expect(faults).toHaveLength(1);
      expect(faults[0]).toContain(field);
    }
  });

  it.each<[string, EnvoyJson]>([
    ['allow_mode_override', { allow_mode_override: false }],
    ['allow_mode_override', { allow_mode_override: undefined }],
    ['allowed_override_modes', { allowed_override_modes: [{ request_body_mode: 'STREAMED' }] }],
  ])('has a fault if %s keeps back bodies that a policy inspects', (field, change) => {
    expect(findFilterFaults({ ...config, ...change }, BODIES)).toEqual([expect.stringContaining(field)]);
    expect(findFilterFaults({ ...config, ...change }, HEADERS)).toEqual([]);
  });

  it('waits 200 ms by default, which a policy may exceed', () => {
    const silent = { ...config, message_timeout: undefined };
    expect(findFilterFaults(silent, { ...HEADERS, budgetMs: 200 })).toEqual([]);
    expect(findFilterFaults(silent, { ...HEADERS, budgetMs: 201 })).toEqual([expect.stringContaining('200 ms')]);
  });

  it('accepts overrides that include the one that the filter requests', () => {
    const modes = [{ request_body_mode: 'NONE' }, { request_body_mode: 'BUFFERED_PARTIAL' }];
    expect(findFilterFaults({ ...config, allowed_override_modes: modes }, BODIES)).toEqual([]);
  });
});
