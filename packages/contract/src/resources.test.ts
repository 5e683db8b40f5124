import { expect, it } from 'vitest';
import * as contract from './index.ts';
import { LISTED_ROLES, type RouteContract } from './index.ts';

const ROUTES = Object.entries(contract).flatMap(([name, routes]) =>
  name.endsWith('Routes') ? Object.values(routes as Record<string, RouteContract>) : [],
);
/** Path parameters that name one thing, by the start of the path. */
const NAMING: readonly (readonly [path: RegExp, kind: string])[] = [
  [/^\/api\/v3\/(xds|eo)\/.*:name/, 'document'],
  [/^\/api\/v3\/shield\/policies\/:name/, 'policy'],
  [/:service_id/, 'service'],
  [/:client_id/, 'client'],
];

it('every route that names one thing declares the permission that it needs', () => {
  const naming = ROUTES.flatMap((route) => {
    const kind = NAMING.find(([path]) => path.test(route.path))?.[1];
    return kind === undefined ? [] : [{ route, kind }];
  });
  expect(naming.length).toBeGreaterThan(30);
  for (const { route, kind } of naming) {
    expect(route.needs?.kind, route.id).toBe(kind);
    expect(route.path, route.id).toContain(`:${route.needs?.param}`);
    // A read needs only the right to view.
    expect(route.needs?.level, route.id).toBe(route.method === 'GET' ? 'view' : 'change');
  }
});

it('only known writing routes of roles with permissions need no permission on one thing', () => {
  const unbound = ROUTES.filter(
    ({ needs, method, access }) => needs === undefined && method !== 'GET' && access.kind === 'roles',
  )
    .filter(({ access }) => access.kind === 'roles' && LISTED_ROLES.some((role) => access.roles.includes(role)))
    .map(({ id }) => id);
  // Their handlers check permissions in their own transaction, or they act on what the caller creates or on the caller's own jobs.
  expect(unbound.toSorted()).toEqual([
    'acknowledgeAlert',
    'applyDocuments',
    'assignFinding',
    'cancelJob',
    'changeFindingState',
    'changeFindings',
    'checkApiDocument',
    'checkDocument',
    'commentFinding',
    'createDocument',
    'createExtensionObject',
    'createExtensionObjects',
    'deleteJob',
    'prepareProxyVersion',
    'previewApiOwnerRules',
    'previewPathRules',
    'publishUpstream',
    'replayShieldRequests',
    'retryJob',
    'silenceAlert',
    'suggestPolicy',
    'tryShieldRequest',
    'unpublishHosts',
  ]);
});
