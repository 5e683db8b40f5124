import * as contract from '@flotilla/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { readBodies, readRules } from '../../../build/bodies-plugin.ts';
import { describeRule, explainValue } from './explain-value.ts';
import { rulesOf } from './rules-of.ts';

const BODIES = new Map(
  Object.values(contract).flatMap((family) =>
    typeof family === 'object' && family !== null
      ? Object.values(family as Record<string, contract.RouteContract>).flatMap((route) =>
          route?.body ? [[route.id, route.body] as const] : [],
        )
      : [],
  ),
);

const candidates = {
  string: fc.oneof(fc.string({ maxLength: 300 }), fc.stringMatching(/^[a-z0-9._@-]{1,40}$/)),
  number: fc.oneof(fc.integer(), fc.double({ noNaN: true }), fc.nat(100)),
  array: fc.array(fc.constantFrom('policies', 'clients', 'a'), { maxLength: 5 }),
};

/** Whether the schema refuses this member of the body. */
function refuses(id: string, name: string, value: unknown): boolean {
  const { error } = BODIES.get(id)?.safeParse({ [name]: value }) ?? {};
  return error?.issues.some(({ path }) => path[0] === name) ?? false;
}

describe('the rules of the request bodies', () => {
  it('refuse no value that the contract accepts, in any field of any body', () => {
    const bodies = readBodies(contract);
    expect(bodies.length).toBeGreaterThan(60);
    for (const [id, rules] of bodies)
      for (const [name, rule] of Object.entries(rules))
        fc.assert(
          fc.property(candidates[rule.type], (value: unknown) => {
            if (explainValue(rule, value) !== undefined) expect(refuses(id, name, value)).toBe(true);
          }),
          { numRuns: 60 },
        );
  });

  it('refuse names and numbers that the contract refuses', () => {
    const names = rulesOf({ id: 'createGroup' }).name;
    for (const name of ['-anna', 'anna.', 'a b', 'änne', '<b>x</b>', 'a'.repeat(129)]) {
      expect(refuses('createGroup', 'name', name)).toBe(true);
      expect(names && explainValue(names, name), name).toBeTypeOf('string');
    }
  });

  it('contain the bounds, the patterns and their messages, and whether a field is required', () => {
    expect(
      readRules(
        z.strictObject({
          name: z.string().min(2).max(4).regex(/^a/, 'starts with a'),
          note: z.string().max(9).nullable().optional(),
          count: z.int().min(1),
          scopes: z.array(z.string()).max(3).default([]),
          id: z.uuid(),
          either: z.union([z.string(), z.number()]),
        }),
      ),
    ).toEqual({
      name: { type: 'string', isRequired: true, min: 2, max: 4, patterns: [['^a', 'starts with a']] },
      note: { type: 'string', max: 9 },
      count: { type: 'number', isRequired: true, isWhole: true, min: 1 },
      scopes: { type: 'array', max: 3 },
      id: { type: 'string', isRequired: true },
    });
  });
});

describe('the problem of a value', () => {
  const rule = { type: 'string', min: 2, max: 4, patterns: [['^a', 'starts with a']] } as const;

  it('is a sentence that names the bound or the pattern', () => {
    expect(explainValue(rule, 'a')).toBe('At least 2 characters.');
    expect(explainValue(rule, 'abcde')).toBe('At most 4 characters.');
    expect(explainValue(rule, 'bcd')).toBe('Starts with a.');
    expect(explainValue({ type: 'number', isWhole: true, min: 1 }, 1.5)).toBe('A whole number.');
    expect(explainValue({ type: 'number', max: 5 }, 6)).toBe('At most 5.');
    expect(explainValue({ type: 'array', min: 1 }, [])).toBe('At least 1.');
    expect(explainValue({ type: 'number' }, '6')).toBe('This value is not valid.');
  });

  it('does not exist for a valid value, nor before one is typed', () => {
    for (const value of ['ab', '', null, undefined]) expect(explainValue(rule, value)).toBeUndefined();
  });

  it('is also the description of the field', () => {
    expect(describeRule(rule)).toBe('Starts with a.');
    expect(describeRule({ type: 'string', max: 4 })).toBeUndefined();
    expect(describeRule(undefined)).toBeUndefined();
  });
});
