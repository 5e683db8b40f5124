import { texts } from '../../texts/index.ts';
import type { FieldDescription } from '../schema-source.ts';
import { isList, ownValue } from './json.ts';
import { boundsOf, readCount, rulesOf } from './rules.ts';

const text = texts.forms.model.describeRules;

/** The rules as a person would say them, before anything is broken: `1 to 100`, `at least 1 item`. Undefined when there are none. */
export function describeRules(field: FieldDescription): string | undefined {
  const rules = rulesOf(field);
  if (!rules) return undefined;
  const ordered = boundsOf(rules);
  if (ordered) {
    const { bounds, show } = ordered;
    const { lower, upper } = bounds;
    if (bounds.in.length > 0) return text.bounds.oneOf(bounds.in.map(show).join(', '));
    if (lower && upper && lower.value <= upper.value) {
      if (!lower.exclusive && !upper.exclusive) return `${show(lower.value)} to ${show(upper.value)}`;
    }
    const parts = [
      lower && `${lower.exclusive ? text.bounds.moreThan : text.bounds.atLeast} ${show(lower.value)}`,
      upper && `${upper.exclusive ? text.bounds.lessThan : text.bounds.atMost} ${show(upper.value)}`,
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
    min === undefined || min === 0 ? undefined : text.size.atLeast(plural(min)),
    max === undefined ? undefined : text.size.atMost(plural(max)),
    ownValue(rules, 'unique') === true ? text.size.noneTwice : undefined,
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
    min !== undefined && min > 1 ? text.text.atLeast(min) : undefined,
    max === undefined ? undefined : text.text.atMost(max),
    typeof prefix === 'string' ? text.text.prefix(prefix) : undefined,
    isList(choices) ? text.text.oneOf(choices.join(', ')) : undefined,
    known === 'HTTP_HEADER_NAME' ? text.text.headerName : undefined,
    ownValue(rules, 'uri') === true || ownValue(rules, 'uri_ref') === true ? text.text.uri : undefined,
    ownValue(rules, 'hostname') === true ? text.text.hostname : undefined,
    ownValue(rules, 'ip') === true ? text.text.ip : undefined,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join(', ');
}
