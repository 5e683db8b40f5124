import { repeatable } from '@flotilla/contract';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { describeIssue } from './describe-issue.ts';
import { toViolations } from './validate.ts';

const schema = z.strictObject({
  outcome: repeatable(z.enum(['done', 'denied'])).optional(),
  job: z.union([z.uuid(), z.string().regex(/^\d+$/)], 'a number or an id').optional(),
});

function judge(value: unknown) {
  const { error } = schema.safeParse(value, { error: describeIssue });
  return error?.issues.flatMap((issue) => toViolations(issue)).map(({ path, message }) => `${path}: ${message}`);
}

it('an invalid word is refused with the accepted ones, whether one or many are allowed', () => {
  const words = 'must be one of done, denied';
  expect(judge({ outcome: 'x' })).toEqual([`outcome: ${words}`]);
  expect(judge({ outcome: ['done', 'x'] })).toEqual([`outcome[1]: ${words}`]);
});

it('a value with the type of several variants is refused with their own messages', () => {
  expect(judge({ job: 'x' })).toEqual(['job: a number or an id']);
});

it.each([
  [z.strictObject({ ids: z.union([z.array(z.string()), z.literal('all')]) }), {}, 'ids: is required'],
  [z.strictObject({ name: z.string() }), {}, 'name: is required'],
  [z.strictObject({ name: z.string() }), { name: 5 }, 'name: must be a text, not a number'],
  [z.strictObject({ limit: z.coerce.number() }), { limit: 'many' }, 'limit: must be a number, not a text'],
  [z.strictObject({ limit: z.number().max(5) }), { limit: 6 }, 'limit: must be at most 5'],
  [z.strictObject({ ids: z.array(z.string()).min(1) }), { ids: [] }, 'ids: must have at least 1 entry'],
])(
  'the message %# describes the problem in our own words, not those of the library (fault L9)',
  (given, value, message) => {
    const { error } = given.safeParse(value, { error: describeIssue });
    expect(error?.issues.flatMap((issue) => toViolations(issue)).map((one) => `${one.path}: ${one.message}`)).toEqual([
      message,
    ]);
  },
);
