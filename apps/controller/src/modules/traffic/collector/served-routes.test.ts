import { RouteNames, toPlace } from '@flotilla/inventory';
import { expect, it } from 'vitest';
import type { ServedListener } from '../../configuration/public.ts';
import { toServedRoutes } from './served-routes.ts';

const template = (path_template: string) => ({
  match: { path_match_policy: { name: 'x', typed_config: { '@type': 'x', path_template } } },
});
const hostOf = (path: string, domain = '*') => ({ name: domain, domains: [domain], routes: [template(path)] });
const document = (collection: string, name: string, resource: object) =>
  ({ collection, name, resource }) as ServedListener['documents'][number];

const manager = (more: object) => ({
  filter_chains: [{ filters: [{ name: 'http', typed_config: { '@type': 'manager', ...more } }] }],
});

function find(
  listeners: readonly ServedListener[],
  path: string,
  { service = 'shop', listener = 'web', authority = 'a.example' } = {},
) {
  const names = new RouteNames(toServedRoutes(listeners));
  return names.find({ method: 'GET', authority, path, place: toPlace(service, listener) });
}

it('routes are those of the listener itself, of route configurations, and of virtual hosts that are documents', () => {
  const web: ServedListener = {
    listener: 'web',
    services: ['shop', 'blog'],
    documents: [
      document(
        'listeners',
        'web',
        manager({ route_config: { virtual_hosts: [hostOf('/inline/{a}', 'inline.example')] } }),
      ),
      document('routes', 'main', { name: 'main', virtual_hosts: [hostOf('/main/{b}', 'main.example')] }),
      document('virtual_hosts', 'main/apart', hostOf('/apart/{c}', 'apart.example')),
      document('virtual_hosts', 'other/none', hostOf('/none/{d}', 'none.example')),
    ],
  };
  expect(find([web], '/inline/7', { authority: 'inline.example' })).toBe('/inline/{a}');
  expect(find([web], '/main/7', { authority: 'main.example' })).toBe('/main/{b}');
  expect(find([web], '/apart/7', { authority: 'apart.example', service: 'blog' })).toBe('/apart/{c}');
  expect(find([web], '/none/7', { authority: 'none.example' })).toBeUndefined();
});

it('references to documents are followed, and missing ones give no routes', () => {
  const web: ServedListener = {
    listener: 'web',
    services: ['shop'],
    documents: [
      document('listeners', 'web', { filter_chains: [{ filters: [{ $ref: 'filters/manager' }] }] }),
      document(
        'filters',
        'manager',
        manager({ route_config: { virtual_hosts: [{ $ref: 'virtual_hosts/x/y' }, { $ref: 'gone/z' }] } }),
      ),
      document('virtual_hosts', 'x/y', hostOf('/referred/{a}')),
    ],
  };
  expect(find([web], '/referred/7')).toBe('/referred/{a}');
});

it('a listener does not use the routes of another one', () => {
  const of = (listener: string, path: string): ServedListener => ({
    listener,
    services: ['shop'],
    documents: [document('listeners', listener, manager({ route_config: { virtual_hosts: [hostOf(path)] } }))],
  });
  const listeners = [of('web', '/users/{id}'), of('admin', '/users/{admin}')];
  expect(find(listeners, '/users/7')).toBe('/users/{id}');
  expect(find(listeners, '/users/7', { listener: 'admin' })).toBe('/users/{admin}');
  expect(find(listeners, '/users/7', { listener: 'tcp' })).toBeUndefined();
});
