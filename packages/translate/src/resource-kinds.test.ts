import { expect, it } from 'vitest';
import { toAny, toWireForm } from './resource-kinds.ts';

const ROUTER = 'envoy.extensions.filters.http.router.v3.Router';
const document = {
  collection: 'filters',
  name: 'x',
  type: ROUTER,
  revision: 1,
  mayReachHost: true,
  chars: 90,
  resource: { '@type': 'type.googleapis.com/envoy.extensions.filters.http.lua.v3.Lua', start_child_span: true },
} as const;

it('the type of a document is the stored one, whatever its resource says (attack 2)', () => {
  const any = { '@type': `type.googleapis.com/${ROUTER}`, start_child_span: true };
  expect(toAny(document)).toEqual(any);
  expect(Object.keys(toAny(document))[0]).toBe('@type');
  expect(toWireForm(document)).toEqual({ name: 'x', typed_config: any });
});
