import type { FieldDescription } from '../schema-source.ts';
import { isList, ownValue } from './json.ts';
import { boundsOf, readCount, rulesOf } from './rules.ts';

/** The rules as a person would say them, before anything is broken: `1 to 100`, `at least 1 item`. Undefined when there are none. */
export function describeRules(field: FieldDescription): string | undefined {
  const rules = rulesOf(field);
  if (!rules) return undefined;
  const ordered = boundsOf(rules);
  if (ordered) {
    const { bounds, show } = ordered;
    const { lower, upper } = bounds;
    if (bounds.in.length > 0) return `one of ${bounds.in.map(show).join(', ')}`;
    if (lower && upper && lower.value <= upper.value) {
      if (!lower.exclusive && !upper.exclusive) return `${show(lower.value)} to ${show(upper.value)}`;
    }
    const parts = [
      lower && `${lower.exclusive ? 'more than' : 'at least'} ${show(lower.value)}`,
      upper && `${upper.exclusive ? 'less than' : 'at most'} ${show(upper.value)}`,
    ].filter((part) => part !== undefined);
    return parts.length === 0 ? undefined : parts.join(', ');
  }
  if (rules.type === 'repeated' || rules.type === 'map')
    return describeSize(rules.rules, rules.type === 'map' ? 'pair' : 'item');
  return rules.type === 'string' ? describeText(rules.rules) : undefined;
}

type Rules = Parameters<typeof readCount>[0];

function describeSize(rules: Rules, unit: string): string | undefined {
  const min = readCount(rules, `min_${unit}s`);
  const max = readCount(rules, `max_${unit}s`);
  const plural = (count: number) => `${count} ${unit}${count === 1 ? '' : 's'}`;
  const parts = [
    min === undefined || min === 0 ? undefined : `at least ${plural(min)}`,
    max === undefined ? undefined : `at most ${plural(max)}`,
    ownValue(rules, 'unique') === true ? 'none twice' : undefined,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join(', ');
}

function describeText(rules: Rules): string | undefined {
  const min = readCount(rules, 'min_len') ?? readCount(rules, 'min_bytes');
  const max = readCount(rules, 'max_len') ?? readCount(rules, 'max_bytes');
  const prefix = ownValue(rules, 'prefix');
  const known = ownValue(rules, 'well_known_regex');
  const choices = ownValue(rules, 'in');
  const parts = [
    // "Not empty" is what the mark of required fields says
    min !== undefined && min > 1 ? `at least ${min} characters` : undefined,
    max === undefined ? undefined : `at most ${max} characters`,
    typeof prefix === 'string' ? `starts with ${prefix}` : undefined,
    isList(choices) ? `one of ${choices.join(', ')}` : undefined,
    known === 'HTTP_HEADER_NAME' ? 'the name of a header' : undefined,
    ownValue(rules, 'uri') === true || ownValue(rules, 'uri_ref') === true ? 'a URI' : undefined,
    ownValue(rules, 'hostname') === true ? 'a host name' : undefined,
    ownValue(rules, 'ip') === true ? 'an IP address' : undefined,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join(', ');
}
