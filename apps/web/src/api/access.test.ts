import { READERS } from '@flotilla/contract';
import { expect, it } from 'vitest';
import { type Caller, mayCall } from './access.ts';
import { routes } from './call.ts';

const viewer: Caller = { user: { is_owner: false }, role: 'viewer', capabilities: undefined };
const say = (...ids: string[]): Caller => ({ ...viewer, capabilities: new Set(ids) });

it('the capabilities that the controller sends take precedence over the role', () => {
  expect(mayCall(routes.service.create, say(routes.service.create.id))).toBe(true);
  expect(mayCall(routes.service.list, say())).toBe(false);
  expect(mayCall(routes.project.create, { ...say(), user: { is_owner: true } })).toBe(false);
});

it('until the capabilities are loaded, the declared access of the route decides', () => {
  expect(routes.policy.list.access).toMatchObject({ roles: READERS });
  expect(mayCall(routes.policy.list, viewer)).toBe(true);
  expect(mayCall(routes.policy.create, viewer)).toBe(false);
  expect(mayCall(routes.project.create, viewer)).toBe(false);
  expect(mayCall(routes.project.create, { ...viewer, user: { is_owner: true } })).toBe(true);
  expect(mayCall(routes.policy.list, { ...viewer, role: undefined })).toBe(false);
  expect(mayCall(routes.profile.get, { ...viewer, role: undefined })).toBe(true);
});

it('routes without an access token are always allowed', () => {
  expect(mayCall(routes.session.browserLogin, say())).toBe(true);
});

it('every route has a unique id', () => {
  const ids = Object.values(routes).flatMap((family) => Object.values(family).map(({ id }) => id));
  expect(ids.length).toBeGreaterThan(100);
  expect(new Set(ids).size).toBe(ids.length);
});
