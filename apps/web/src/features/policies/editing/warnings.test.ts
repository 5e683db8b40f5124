import { expect, it } from 'vitest';
import { findWarnings } from './warnings.ts';

const policy = (hosts: string, mode: string, failMode = 'fail_close') =>
  `spec:\n  defaults: { mode: ${mode}, fail_mode: ${failMode} }\n  domains:\n    - hosts: [${hosts}]\n`;
const places = (before: string, after: string) => findWarnings(before, after, 0).map(({ path }) => path);

it('a change that weakens the protection causes a warning, and no other change does', () => {
  expect(places(policy('a, b', 'block'), policy('a', 'block'))).toEqual(['b']);
  expect(places(policy('a', 'block'), policy('a', 'detect'))).toEqual(['a']);
  expect(places(policy('a', 'block'), policy('a', 'block', 'fail_open'))).toEqual(['fail_mode']);
  expect(places(policy('a', 'detect', 'fail_open'), policy('a, b', 'block'))).toEqual([]);
});

it('raw keys cause a warning that they will be replaced', () => {
  expect(findWarnings('', '', 1)).toHaveLength(1);
  expect(findWarnings('', '', 2)[0]?.message).toContain('2 raw keys');
});

const guarded = (policy: string, routes: string) => `
spec:
  domains:
    - hosts: [a.example.com]
      policy: ${policy}
      routes: ${routes}
`;

it('every path with weaker protection than before is reported', () => {
  const before = guarded(
    '{ engines: { api_key: { keys: [] } } }',
    '[{ match: { path_prefix: /a }, policy: {} }, { match: { path_prefix: /b }, policy: { engines: { jwt: {} } } }]',
  );
  const after = guarded(
    '{ engines: { api_key: { keys: [] } } }',
    '[{ match: { path_prefix: /a }, policy: { engines: { api_key: null } } }]',
  );
  expect(findWarnings(before, after, 0)).toEqual([
    { path: 'a.example.com/a', message: 'is no longer protected by api_key.' },
    { path: 'a.example.com/b', message: 'is no longer protected by jwt.' },
  ]);
  expect(findWarnings(after, before, 0)).toEqual([]);
  const detect = guarded(
    '{ engines: { api_key: { keys: [] } } }',
    '[{ match: { path_prefix: /a }, policy: { mode: detect } }]',
  );
  expect(findWarnings(before, detect, 0)).toEqual([
    { path: 'a.example.com/a', message: 'only counts from now on: nothing is blocked there.' },
    { path: 'a.example.com/b', message: 'is no longer protected by jwt.' },
  ]);
});
