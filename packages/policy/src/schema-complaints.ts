import { findNearest } from '@flotilla/kit';
import * as z from 'zod';
import type { Complaint, FieldPath } from './problem.ts';

/** Maximum of wrong letters for a suggestion. */
const WRONG_LETTERS_MAX = 2;

/** Runs a schema and rewords its complaints; the value itself is never quoted. */
export function checkSchema(schema: z.ZodType, value: unknown): Complaint[] {
  const result = schema.safeParse(value);
  return result.success ? [] : result.error.issues.flatMap((issue) => toComplaints(issue, value, schema));
}

function toComplaints(issue: z.core.$ZodIssue, value: unknown, schema: z.ZodType): Complaint[] {
  const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({
        path: [...path, key],
        rule: 'schema.unknown_field',
        message: `is not a field of this document${suggestName(key, fieldsAt(schema, path))}`,
        at: 'key' as const,
      }));
    case 'invalid_type': {
      const given = valueAt(value, path);
      if (given === undefined) return [{ path, rule: 'schema.required', message: 'is required' }];
      return [
        { path, rule: 'schema.type', message: `must be ${nameType(issue.expected)}${hintType(issue.expected, given)}` },
      ];
    }
    case 'invalid_value': {
      if (valueAt(value, path) === undefined) return [{ path, rule: 'schema.required', message: 'is required' }];
      const values = issue.values.map((allowed) => String(allowed));
      const message = values.length === 1 ? `must be ${values[0]}` : `must be one of: ${values.join(', ')}`;
      return [{ path, rule: 'schema.value', message }];
    }
    case 'too_small': {
      const message =
        issue.origin === 'array'
          ? `needs at least ${issue.minimum} ${Number(issue.minimum) === 1 ? 'entry' : 'entries'}`
          : issue.origin === 'string'
            ? 'must not be empty'
            : `must be ${issue.inclusive ? 'at least' : 'greater than'} ${issue.minimum}`;
      return [{ path, rule: 'schema.too_small', message }];
    }
    case 'too_big':
      return [
        {
          path,
          rule: 'schema.too_big',
          message: `must be at most ${issue.maximum}${issue.origin === 'string' ? ' characters' : ''}`,
        },
      ];
    case 'invalid_format':
      return [
        {
          path,
          rule: 'schema.format',
          message: issue.format === 'starts_with' ? 'must begin with "/"' : 'has the wrong form',
        },
      ];
    default:
      return [{ path, rule: 'schema.value', message: issue.message }];
  }
}

/** The end of a complaint about an unknown name: a suggestion. */
export function suggestName(name: string, known: Iterable<string>): string {
  const nearest = findNearest(name, known, { wrongLetters });
  return nearest === undefined ? '' : `; did you mean ${nearest}?`;
}

/** In a short name most letters must be right. */
function wrongLetters(length: number): number {
  return Math.min(WRONG_LETTERS_MAX, Math.floor((length - 1) / 2));
}

/** Names of the fields that a mapping at this place may have. */
function fieldsAt(schema: unknown, path: FieldPath): readonly string[] {
  let current = withoutOptional(schema);
  for (const part of path) {
    if (current instanceof z.ZodArray) current = current.element;
    else if (current instanceof z.ZodObject) current = current.shape[part];
    else return [];
    current = withoutOptional(current);
  }
  return current instanceof z.ZodObject ? Object.keys(current.shape) : [];
}

function withoutOptional(schema: unknown): unknown {
  return schema instanceof z.ZodOptional ? schema.unwrap() : schema;
}

function valueAt(value: unknown, path: FieldPath): unknown {
  let current = value;
  for (const part of path) {
    if (typeof current !== 'object' || current === null) return undefined;
    current = Reflect.get(current, part);
  }
  return current;
}

function nameType(expected: string): string {
  switch (expected) {
    case 'object':
    case 'record':
      return 'a mapping';
    case 'array':
      return 'a list';
    case 'string':
      return 'text';
    case 'boolean':
      return 'true or false';
    case 'int':
      return 'a whole number';
    case 'number':
      return 'a finite number';
    default:
      return `of type ${expected}`;
  }
}

function hintType(expected: string, given: unknown): string {
  if (expected === 'string' && (typeof given === 'number' || typeof given === 'boolean')) return '; put it in quotes';
  if (expected === 'boolean' && typeof given === 'string') return ' (YAML 1.2: yes, no, on and off are text)';
  return '';
}
