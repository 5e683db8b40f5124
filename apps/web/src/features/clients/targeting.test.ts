import { expect, it } from 'vitest';
import { explainReason } from './model.ts';
import { readTargeting } from './targeting.ts';

const refusal = { code: 'client.targeted', message: 'm', request_id: 'r' };

it('a refusal names the services that target the client', () => {
  const services = [{ id: 's1', name: 'demo' }, { id: 5 }];
  expect(readTargeting({ ...refusal, services })).toEqual([{ id: 's1', name: 'demo' }]);
  expect(readTargeting(refusal)).toEqual([]);
});

it('other refusals name no services', () => {
  expect(readTargeting({ ...refusal, code: 'record.not_found', services: [] })).toBeUndefined();
});

it('the reason of a disconnection is explained, also if this version does not know it', () => {
  expect(explainReason('agent left')).toBe('the agent ended');
  expect(explainReason('quota_reached')).toBe('quota reached');
  expect(explainReason(null)).toBeUndefined();
});
