import type * as z from 'zod';

const NAMES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
  null: 'null',
};
const UNITS: Readonly<Record<string, string>> = {
  string: 'characters',
  array: 'entries',
  set: 'entries',
  map: 'entries',
  record: 'members',
};

const SINGULAR: Readonly<Record<string, string>> = { characters: 'character', entries: 'entry', members: 'member' };

/**
 * Describes what is wrong with a value and how to fix it. zod calls it if a schema has no message of its own; undefined
 * selects zod's message.
 */
export function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input === undefined && issue.code !== 'custom') return 'is required';
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${NAMES[String(issue.expected)] ?? issue.expected}, not ${nameOf(issue.input)}`;
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}`;
    case 'too_small':
      return `must ${describeBound(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum)}`;
    case 'too_big':
      return `must ${describeBound(issue.origin, issue.inclusive === false ? 'less than' : 'at most', issue.maximum)}`;
    case 'invalid_union':
      return 'has none of the forms that it may have';
    case 'invalid_format':
      return issue.format === 'regex' ? `must match ${issue.pattern}` : `is not a valid ${issue.format}`;
    default:
      return undefined;
  }
}

function describeBound(origin: string, bound: string, value: number | bigint): string {
  const unit = UNITS[origin];
  if (unit === undefined) return `be ${bound} ${value}`;
  return `have ${bound} ${value} ${Number(value) === 1 ? SINGULAR[unit] : unit}`;
}

function nameOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number' && Number.isNaN(value)) return 'a text';
  return NAMES[typeof value] ?? typeof value;
}
