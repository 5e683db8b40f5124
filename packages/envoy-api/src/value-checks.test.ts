import { checkValue, parseFieldRules, type ValueType } from '@flotilla/envoy-rules';
import { beforeAll, expect, it } from 'vitest';
import type { EnvoyApi } from './api.ts';
import type { FieldDescription } from './describe.ts';
import type { JsonValue } from './index.ts';
import { loadEnvoyApi } from './load.ts';

let api: EnvoyApi;
beforeAll(async () => {
  api = await loadEnvoyApi({ version: '1.39.3' });
});

const VALUES: readonly JsonValue[] = [
  '',
  'x',
  'AUTO',
  '-1s',
  '1.5s',
  '/a?b#c',
  'a b',
  'a\nb',
  'aGk=',
  '65536',
  '2026-01-01T00:00:00Z',
  'ä'.repeat(300),
  0,
  1,
  -1,
  0.5,
  65_536,
  4_294_967_296,
  true,
  [],
];

/** Fields whose verdict depends on nothing but their own value. */
function isPlain(field: FieldDescription): boolean {
  if (field.shape !== 'singular' || field.deprecated) return false;
  if (field.value.kind === 'message')
    return ['duration', 'timestamp', 'field_mask', 'wrapper'].includes(field.value.wellKnown ?? '');
  return true;
}

it('checkValue gives the verdict and the words of the whole check, for every plain field of every message', () => {
  let compared = 0;
  for (const typeName of api.messages().filter((name) => name.startsWith('envoy.'))) {
    const { fields } = api.describe(typeName);
    if (fields.length === 0) continue;
    for (const field of fields.filter(isPlain)) {
      const rules = parseFieldRules(field.constraint);
      for (const json of VALUES) {
        const whole = api.check(typeName, { [field.name]: json });
        const theirs = [...whole.errors]
          .filter(({ path, rule }) => path === field.name && rule !== 'duration.negative' && rule !== 'disallowed')
          .map(({ rule, message }) => `${rule} ${message}`.replace(/; did you mean.*/, ''));
        const ours = checkValue(field.value as ValueType, rules, json)
          .filter(({ rule }) => rule !== 'disallowed')
          .map(({ rule, message }) => `${rule} ${message}`.replace(/; did you mean.*/, ''));
        // A zero is the same as nothing where the field has no presence, and is then reported as missing.
        const missing = theirs.some((text) => text.includes('is required'));
        if (missing || field.value.kind === 'enum')
          expect(ours.length > 0, `${typeName}.${field.name} ${json}`).toBe(theirs.length > 0);
        else expect(ours, `${typeName}.${field.name} ${JSON.stringify(json)}`).toEqual(theirs);
        compared += 1;
      }
    }
  }
  expect(compared).toBeGreaterThan(20_000);
});
