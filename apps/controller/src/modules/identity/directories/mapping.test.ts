import { groupMappingSchema } from '@flotilla/contract';
import { createId } from '@flotilla/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rolesOf } from './mapping.ts';

const [A, B] = [createId(), createId()];
const isIn =
  (...groups: string[]) =>
  (group: string) =>
    groups.includes(group);

describe('roles by groups', () => {
  it('are the highest of those that several groups give, project by project', () => {
    const mapping = groupMappingSchema.parse({
      rules: [
        { group: 'people', project: A, role: 'viewer' },
        { group: 'operators', project: A, role: 'admin' },
        { group: 'testers', project: A, role: 'editor' },
        { group: 'people', project: B, role: 'viewer' },
      ],
    });
    expect(rolesOf(mapping, isIn('testers', 'operators', 'people'))).toEqual(
      new Map([
        [A, 'admin'],
        [B, 'viewer'],
      ]),
    );
    expect(rolesOf(mapping, isIn('others'))).toEqual(new Map());
  });

  it('never make an owner of a project unless that is explicitly allowed', () => {
    const rules = [{ group: 'bosses', project: A, role: 'owner' as const }];
    expect(groupMappingSchema.safeParse({ rules }).success).toBe(false);
    expect(rolesOf({ rules, allow_owner: false }, isIn('bosses'))).toEqual(new Map());
    const allowed = groupMappingSchema.parse({ rules, allow_owner: true });
    expect(rolesOf(allowed, isIn('bosses'))).toEqual(new Map([[A, 'owner']]));
  });

  it('do not depend on the order of the rules', () => {
    const rule = fc.record({
      group: fc.constantFrom('a', 'b', 'c'),
      project: fc.constantFrom(A, B),
      role: fc.constantFrom('viewer' as const, 'editor' as const, 'admin' as const),
    });
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 8 }), fc.subarray(['a', 'b', 'c']), (rules, groups) => {
        const forwards = rolesOf({ rules, allow_owner: false }, isIn(...groups));
        const backwards = rolesOf({ rules: rules.toReversed(), allow_owner: false }, isIn(...groups));
        expect(new Map([...backwards].toSorted())).toEqual(new Map([...forwards].toSorted()));
      }),
      { numRuns: 200 },
    );
  });
});
