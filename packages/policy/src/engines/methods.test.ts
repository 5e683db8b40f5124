import { describe, expect, it } from 'vitest';
import { loadPolicyFiles } from '../load.ts';

/** The problems of a policy with this list, or the methods of its engine. */
function load(allow: unknown) {
  const content = JSON.stringify({
    apiVersion: 'flotilla.dev/v1',
    kind: 'SecurityPolicy',
    metadata: { name: 'demo' },
    spec: { domains: [{ hosts: ['api.example.com'], policy: { engines: { methods: { allow } } } }] },
  });
  const loaded = loadPolicyFiles([{ path: 'policy.json', content }]);
  if (!loaded.ok) return loaded.error.map(({ field, rule }) => `${field} ${rule}`);
  return loaded.value.domains[0]?.policy.engines;
}
const FIELD = 'spec.domains[0].policy.engines.methods.allow';

describe('the engine methods', () => {
  it('keeps methods as they are written, without inspecting bodies', () => {
    expect(load(['GET', 'get', 'PURGE'])).toMatchObject([
      { engine: 'methods', options: { allow: ['GET', 'get', 'PURGE'] } },
    ]);
    expect(load(['POST'])).toMatchObject([{ engine: 'methods' }]);
  });

  it('refuses texts that are no methods, duplicates, and an empty or huge list', () => {
    expect(load(['GET', 'G ET', 'GET', ''])).toEqual([
      `${FIELD}[1] methods.method`,
      `${FIELD}[2] methods.method`,
      `${FIELD}[3] methods.method`,
    ]);
    expect(load([])).toEqual([`${FIELD} schema.too_small`]);
    expect(load(Array.from({ length: 33 }, (_, index) => `M${index}`))).toEqual([`${FIELD} schema.too_big`]);
    expect(load('GET')).toEqual([`${FIELD} schema.type`]);
  });
});
