import { repeatable } from '@flotilla/contract';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { toViolations } from './validate.ts';

const schema = z.strictObject({
  outcome: repeatable(z.enum(['done', 'denied'])).optional(),
  job: z.union([z.uuid(), z.string().regex(/^\d+$/)], 'a number or an id').optional(),
});

function judge(value: unknown) {
  const { error } = schema.safeParse(value);
  return error?.issues.flatMap((issue) => toViolations(issue)).map(({ path, message }) => `${path}: ${message}`);
}

it('a word that is none of those that may stand once or often is refused with those that may', () => {
  const words = 'Invalid option: expected one of "done"|"denied"';
  expect(judge({ outcome: 'x' })).toEqual([`outcome: ${words}`]);
  expect(judge({ outcome: ['done', 'x'] })).toEqual([`outcome[1]: ${words}`]);
});

it('where a value has the type of several forms, their own words tell what is wanted', () => {
  expect(judge({ job: 'x' })).toEqual(['job: a number or an id']);
});
