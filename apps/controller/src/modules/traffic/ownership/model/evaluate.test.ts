import type { ApiOwnerRule } from '@flotilla/contract';
import { expect, it } from 'vitest';
import { compileRules } from './evaluate.ts';
import { RulePreview } from './preview.ts';

const rule = (
  match: Partial<ApiOwnerRule['match']>,
  set: Partial<ApiOwnerRule['set']>,
  more: Partial<ApiOwnerRule> = {},
): ApiOwnerRule => ({
  name: Object.values(set).join(' '),
  enabled: true,
  match: { listener_name: '', host_prefix: '', path_prefixes: [], methods: [], ...match },
  set: { team: '', owner: '', criticality: null, data_classes: [], tags: [], ...set },
  ...more,
});
const place = (name: string, listeners = ['web']) => {
  const [method = '', address = ''] = name.split(' ');
  const slash = address.indexOf('/');
  return { method, host: address.slice(0, slash), path: address.slice(slash), listeners };
};

it('the first rule that says something decides, and tags add up', () => {
  const evaluate = compileRules([
    rule({ path_prefixes: ['/pay'] }, { team: 'payments', tags: ['pci', 'eu'] }),
    rule({ host_prefix: 'shop.example' }, { team: 'shop', owner: 'ann', tags: ['eu', 'web'] }),
    rule({}, { criticality: 'low', data_classes: ['personal'] }),
  ]);
  expect(evaluate(place('POST shop.example/pay/card'))).toEqual({
    team: 'payments',
    owner: 'ann',
    criticality: 'low',
    data_classes: ['personal'],
    tags: ['pci', 'eu', 'web'],
    matched: [0, 1, 2],
    effective: [0, 1, 2],
  });
  expect(evaluate(place('GET shop.example/payments'))).toMatchObject({ team: 'shop', matched: [1, 2] });
});

it.each([
  [{ methods: ['POST'] as const }, 'GET a.example/x', false],
  [{ methods: ['POST'] as const }, 'POST a.example/x', true],
  [{ host_prefix: 'example' }, 'GET a.example/x', true],
  [{ host_prefix: '*.example' }, 'GET a.example:8443/x', true],
  [{ host_prefix: 'example:8443' }, 'GET a.example/x', false],
  [{ listener_name: 'web' }, 'GET a.example/x', true],
  [{ listener_name: 'we' }, 'GET a.example/x', false],
  [{ path_prefixes: ['/x'] }, 'GET a.example/xy', false],
  [{ path_prefixes: ['/y', '/x'] }, 'GET a.example/x/{id}', true],
])('a rule with %j matches %s: %s', (match, name, isMatch) => {
  const evaluate = compileRules([
    rule({ ...match, methods: 'methods' in match ? [...match.methods] : [] }, { team: 't' }),
  ]);
  expect(evaluate(place(name)).team).toBe(isMatch ? 't' : '');
});

it('a rule that is off matches nothing', () => {
  expect(compileRules([rule({}, { team: 't' }, { enabled: false })])(place('GET a/x')).team).toBe('');
});

it('an override replaces what it names, and an empty value clears', () => {
  const evaluate = compileRules([rule({}, { team: 't', owner: 'o', criticality: 'high', tags: ['x'] })]);
  expect(evaluate(place('GET a/x'), { team: '', criticality: null, tags: [] })).toMatchObject({
    team: '',
    owner: 'o',
    criticality: null,
    tags: [],
  });
});

it('a preview finds rules that others hide', () => {
  const rules = [
    rule({ path_prefixes: ['/x'] }, { team: 'a' }, { name: 'first' }),
    rule({ path_prefixes: ['/x/y'] }, { team: 'b' }, { name: 'hidden' }),
    rule({ path_prefixes: ['/none'] }, { team: 'c' }, { name: 'unused' }),
  ];
  const evaluate = compileRules(rules);
  const preview = new RulePreview(rules);
  for (const name of ['GET h/x', 'GET h/x/y', 'GET h/z'])
    preview.add({ id: name, ...place(name) } as never, evaluate(place(name)));
  expect(preview.close()).toMatchObject({
    operation_count: 3,
    unowned: 1,
    rules: [
      { name: 'first', matched: 2, effective: 2, shadowed: false },
      { name: 'hidden', matched: 1, effective: 0, shadowed: true, shadowed_by: ['first'] },
      { name: 'unused', matched: 0, effective: 0, shadowed: false },
    ],
  });
});
