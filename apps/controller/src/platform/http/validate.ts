import { fail, type RouteContract, type Schema } from '@flotilla/contract';
import type { Violation } from '@flotilla/kit';
import type { FastifyRequest } from 'fastify';
import type * as z from 'zod';
import { describeIssue } from './describe-issue.ts';
import { isStorable } from './json-text.ts';

/** Limit for the problems in an answer. A body of 8 MiB could contain a million. */
const PROBLEMS_MAX = 200;

interface Input {
  readonly params: never;
  readonly query: never;
  readonly body: never;
}

export type RawInput = Pick<FastifyRequest, 'params' | 'query' | 'body'>;

/**
 * Checks path, query and body against the contract and reports all problems (the first 200), each with the path of its
 * field.
 */
export function parseInput(contract: RouteContract, request: RawInput): Input {
  const problems: Violation[] = [];
  const part = (schema: Schema | undefined, value: unknown, prefix: string): unknown => {
    if (!schema) return refuseUnexpected(value, prefix, problems);
    const parsed = schema.safeParse(value, { error: describeIssue });
    if (parsed.success) return parsed.data;
    for (const issue of parsed.error.issues) {
      if (problems.length >= PROBLEMS_MAX) break;
      problems.push(...toViolations(issue, prefix).slice(0, PROBLEMS_MAX));
    }
    return undefined;
  };
  refuseUnstorable(request, problems);
  const params = part(contract.params, request.params, '');
  const found = problems.length;
  const query = part(contract.query, request.query, '');
  problems.push(
    ...problems.splice(found).map((problem) => sayRepeated(request.query, problem)),
    ...findReversed(query),
  );
  const body = isMissing(contract.body, request.body)
    ? void problems.push(MISSING)
    : part(contract.body, request.body, '');
  if (problems.length > 0) throw refuse(problems.slice(0, PROBLEMS_MAX));
  return { params, query, body } as Input;
}

const MISSING = { path: '', rule: 'required', message: 'the body is missing: send a JSON object' };

function isMissing(schema: Schema | undefined, body: unknown): boolean {
  return body === undefined && schema !== undefined && !schema.safeParse(body).success;
}

export function refuse(problems: readonly Violation[]): Error {
  const [first] = problems;
  return fail(
    'request.invalid',
    { reason: `${first?.path ? `${first.path}: ` : ''}${first?.message}` },
    { details: problems },
  );
}

/** Reads a query parameter. Throws request.invalid if it is repeated, because the meaning would be ambiguous. */
export function readOnce(query: unknown, name: string): unknown {
  if (isRepeated(query, name)) throw refuse([repeated(name)]);
  return (query as Record<string, unknown>)[name];
}

/** Reports a repetition instead of the schema's complaint about a list, unless the number of values is the problem. */
function sayRepeated(query: unknown, problem: Violation): Violation {
  const isOfLength = problem.rule === 'too_big' || problem.rule === 'too_small';
  return isRepeated(query, problem.path) && !isOfLength ? repeated(problem.path) : problem;
}

function isRepeated(query: unknown, name: string): boolean {
  const parameters = query as Record<string, unknown>;
  return Object.hasOwn(parameters, name) && Array.isArray(parameters[name]);
}

function repeated(path: string): Violation {
  return { path, rule: 'repeated', message: 'is given more than once, and can be given once' };
}

/** Names of the parameters that start and end a time span. */
const SPANS = [
  ['from', 'to'],
  ['start_time', 'end_time'],
  ['start_date', 'end_date'],
] as const;

/** A span that ends before it starts is empty: the caller probably swapped the values. */
function findReversed(query: unknown): Violation[] {
  const parameters = (query ?? {}) as Record<string, unknown>;
  return SPANS.flatMap(([from, to]) =>
    Date.parse(String(parameters[from])) > Date.parse(String(parameters[to]))
      ? [{ path: to, rule: 'range', message: `must not be before ${from}` }]
      : [],
  );
}

/** Parts that the contract does not name must be empty: input that is ignored today could not get a meaning later. */
function refuseUnexpected(value: unknown, prefix: string, problems: Violation[]): undefined {
  if (typeof value === 'object' && value !== null) {
    for (const name of Object.keys(value)) {
      problems.push({ path: `${prefix}${name}`, rule: 'unknown', message: 'is not a parameter of this route' });
    }
  }
  return undefined;
}

/** Reports text in the address that PostgreSQL cannot store. The body was checked when it was read. */
function refuseUnstorable(request: RawInput, problems: Violation[]): void {
  for (const part of [request.params, request.query]) {
    for (const [name, value] of Object.entries((part ?? {}) as Record<string, unknown>)) {
      if (![name, value].flat().every((text) => isStorable(String(text)))) {
        problems.push({ path: name, rule: 'text', message: 'holds NUL or a lone surrogate' });
      }
    }
  }
}

/** zod's issues as field paths: `members[0].priority`. */
export function toViolations(issue: z.core.$ZodIssue, prefix = ''): Violation[] {
  const path = formatPath(issue.path, prefix);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: path ? `${path}.${key}` : key,
      rule: 'unknown',
      message: 'is not known here',
    }));
  }
  const meant = issue.code === 'invalid_union' ? findMeant(issue) : undefined;
  if (meant) return meant.flatMap((one) => toViolations({ ...one, path: [...issue.path, ...one.path] }, prefix));
  return [{ path, rule: issue.code, message: issue.message }];
}

/**
 * For a union, selects the issues of the variant that the value nearly matches: the only one whose issues lie within
 * it, else the only one of its type. For `outcome=x`, where one value or many are accepted, this lists the accepted
 * words.
 */
function findMeant({ errors }: z.core.$ZodIssueInvalidUnion): readonly z.core.$ZodIssue[] | undefined {
  const within = errors.filter((issues) => issues.every(({ path }) => path.length > 0));
  if (within.length === 1) return within[0];
  const ofType = errors.filter((issues) =>
    issues.every(({ code, path }) => code !== 'invalid_type' || path.length > 0),
  );
  return ofType.length === 1 ? ofType[0] : undefined;
}

function formatPath(path: readonly PropertyKey[], prefix: string): string {
  return path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text ? `${text}.${String(part)}` : String(part)),
    prefix,
  );
}
