import * as rules from '@flotilla/envoy-rules';
import type { FieldDescription } from '../schema-source.ts';
import { rulesOf } from './rules.ts';

/** Describes the constraints of a field: `1 to 100`. Omits "not empty", because required fields have a mark. */
export function describeRules(field: FieldDescription): string | undefined {
  const phrases = rules.describeRules(rulesOf(field)).filter((phrase) => phrase !== 'not empty');
  return phrases.length === 0 ? undefined : phrases.join(', ');
}
