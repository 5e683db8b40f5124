import { create } from '@bufbuild/protobuf';
import { createId } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { expect, it } from 'vitest';
import { toEventRows } from './model.ts';

const report = (status: number, reason = 'apikey.missing', engine = 'api_key') =>
  create(fleet.ShieldEventsSchema, {
    serviceId: createId(),
    epoch: createId(),
    events: [
      {
        seq: 1n,
        policy: 'orders',
        engine,
        reason,
        severity: 'high',
        verdict: fleet.ShieldVerdict.DETECTED,
        status,
      },
    ],
  });
const statusesOf = (of: fleet.ShieldEvents) => toEventRows(createId(), of, new Date()).map(({ status }) => status);

it.each([401, 403, 429])('a finding with status %i, which a policy may answer with, is kept', (status) => {
  expect(statusesOf(report(status))).toEqual([status]);
});

it.each([0, 200, 404, 500])('a finding with status %i, which no policy answers with, is not ours', (status) => {
  expect(statusesOf(report(status))).toEqual([]);
});

it('a finding about a method is kept, and one with a reason of another engine is not', () => {
  expect(statusesOf(report(403, 'method.not_allowed', 'methods'))).toEqual([403]);
  expect(statusesOf(report(403, 'method.not_allowed'))).toEqual([]);
});
