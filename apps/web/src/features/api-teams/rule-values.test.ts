import { expect, it } from 'vitest';
import { createValues, toRule, toValues } from './rule-values.ts';

it('a rule is the same after its form', () => {
  const rule = {
    name: 'payments',
    enabled: false,
    match: { listener_name: 'web', host_prefix: '*.example', path_prefixes: ['/a', '/b'], methods: ['GET' as const] },
    set: {
      team: 'pay',
      owner: 'ann',
      criticality: 'high' as const,
      data_classes: ['personal' as const],
      tags: ['x', 'y z'],
    },
  };
  expect(toRule(toValues(rule, 'k'))).toEqual(rule);
});

it('lists are read without empty and repeated entries', () => {
  const rule = toRule({ ...createValues('k'), paths: ' /a  /b /a ', tags: 'x,, x ,y' });
  expect([rule.match.path_prefixes, rule.set.tags]).toEqual([
    ['/a', '/b'],
    ['x', 'y'],
  ]);
});
