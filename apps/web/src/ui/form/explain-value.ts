import { texts } from '../texts.tsx';
import type { FieldRule } from './field-rules.ts';

const text = texts.form;

/** Says what is wrong with a value; undefined for a valid one, and for one that is not typed yet. */
export function explainValue(rule: FieldRule, value: unknown): string | undefined {
  if (value === '' || value === null || value === undefined) return undefined;
  const size = sizeOf(rule, value);
  if (size === undefined) return text.invalid;
  const { min = -Infinity, max = Infinity } = rule;
  if (size < min) return text.least[rule.type](min);
  if (size > max) return text.most[rule.type](max);
  if (rule.isWhole && !Number.isInteger(value)) return text.whole;
  const broken = rule.patterns?.find(([source]) => !new RegExp(source, 'u').test(String(value)));
  return broken && toSentence(broken[1] ?? (rule.isEmail ? text.email : text.invalid));
}

/** Describes the allowed text of a field, if the contract does. */
export function describeRule(rule: FieldRule | undefined): string | undefined {
  const message = rule?.patterns?.find(([, one]) => one !== undefined)?.[1];
  return message && toSentence(message);
}

function sizeOf({ type }: FieldRule, value: unknown): number | undefined {
  switch (type) {
    case 'string':
      return typeof value === 'string' ? value.length : undefined;
    case 'number':
      return typeof value === 'number' ? value : undefined;
    case 'array':
      return Array.isArray(value) ? value.length : undefined;
  }
}

function toSentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}${message.endsWith('.') ? '' : '.'}`;
}
