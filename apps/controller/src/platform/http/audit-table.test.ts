import type { RouteContract } from '@flotilla/contract';
import * as contract from '@flotilla/contract';
import { expect, it } from 'vitest';

/** Routes with a writing method that produce no audit entry, with the reason. Do not add to it without need. */
const NOT_RECORDED: Readonly<Record<string, string>> = {
  checkApiDocument: 'compares a document that it is given with the traffic, and keeps nothing',
  checkDocument: 'answers what is wrong with a document that it is given, and keeps nothing',
  checkLicense: 'answers what a licence that it is given would allow, and keeps nothing',
  previewApiOwnerRules: 'says what rules that it is given would do, and keeps nothing',
  previewPathRules: 'says what rules that it is given would do, and keeps nothing',
  replayShieldRequests: 'decides about requests that it is given, and keeps nothing',
  suggestPolicy: 'drafts a policy as an answer, and keeps nothing',
  tryShieldRequest: 'decides about a request that it is given, and keeps nothing',
};
const NOT_RECORDED_MAX = 8;

const routes: readonly RouteContract[] = Object.entries(contract).flatMap(([name, value]) =>
  name.endsWith('Routes') ? Object.values<RouteContract>(value as never) : [],
);
const writes = routes.filter(({ method }) => method !== 'GET');

it('every route that writes declares an audit action, except for those that store nothing', () => {
  expect(writes.length).toBeGreaterThan(100);
  const silent = writes.filter(({ audit }) => audit === null).map(({ id }) => id);
  expect(silent.toSorted()).toEqual(Object.keys(NOT_RECORDED));
  expect(silent.length).toBeLessThanOrEqual(NOT_RECORDED_MAX);
});

it('an audit action consists of an object and an action', () => {
  const named = routes.flatMap(({ id, audit }) => (audit === null ? [] : [[id, audit] as const]));
  for (const [id, audit] of named) expect(audit, id).toMatch(/^[a-z]+(_[a-z]+)*\.[a-z]+(_[a-z]+)*$/);
});
