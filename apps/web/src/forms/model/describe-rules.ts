import * as rules from '@flotilla/envoy-rules';
import type { FieldDescription } from '../schema-source.ts';
import { rulesOf } from './rules.ts';

/** Describes the constraints of a field: `1 to 100`. Leaves out "not empty", which the mark of required fields says. */
export function describeRules(field: FieldDescription): string | undefined {
  const phrases = rules.describeRules(rulesOf(field)).filter((phrase) => phrase !== 'not empty');
  return phrases.length === 0 ? undefined : phrases.join(', ');
}
