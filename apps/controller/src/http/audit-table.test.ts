import type { RouteContract } from '@flotilla/contract';
import * as contract from '@flotilla/contract';
import { expect, it } from 'vitest';

/** Writes by their method that leave no entry in the record, and why. It may get shorter, and no longer. */
const NOT_RECORDED: Readonly<Record<string, string>> = {
  checkDocument: 'answers what is wrong with a document that it is given, and keeps nothing',
  checkLicense: 'answers what a licence that it is given would allow, and keeps nothing',
  replayShieldRequests: 'decides about requests that it is given, and keeps nothing',
  tryShieldRequest: 'decides about a request that it is given, and keeps nothing',
};
const NOT_RECORDED_MAX = 4;

const routes: readonly RouteContract[] = Object.entries(contract).flatMap(([name, value]) =>
  name.endsWith('Routes') ? Object.values<RouteContract>(value as never) : [],
);
const writes = routes.filter(({ method }) => method !== 'GET');

it('every route that writes names what it does for the record, but for those that keep nothing', () => {
  expect(writes.length).toBeGreaterThan(100);
  const silent = writes.filter(({ audit }) => audit === null).map(({ id }) => id);
  expect(silent.toSorted()).toEqual(Object.keys(NOT_RECORDED));
  expect(silent.length).toBeLessThanOrEqual(NOT_RECORDED_MAX);
});

it('what is named is a thing and what was done to it', () => {
  const named = routes.flatMap(({ id, audit }) => (audit === null ? [] : [[id, audit] as const]));
  for (const [id, audit] of named) expect(audit, id).toMatch(/^[a-z]+(_[a-z]+)*\.[a-z]+(_[a-z]+)*$/);
});
