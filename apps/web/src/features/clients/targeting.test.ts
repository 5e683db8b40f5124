import { expect, it } from 'vitest';
import { explainReason } from './model.ts';
import { readTargeting } from './targeting.ts';

const refusal = { code: 'client.targeted', message: 'm', request_id: 'r' };

it('names the services that are in the way', () => {
  const services = [{ id: 's1', name: 'demo' }, { id: 5 }];
  expect(readTargeting({ ...refusal, services })).toEqual([{ id: 's1', name: 'demo' }]);
  expect(readTargeting(refusal)).toEqual([]);
});

it('does not take other refusals for it', () => {
  expect(readTargeting({ ...refusal, code: 'record.not_found', services: [] })).toBeUndefined();
});

it('says in words why a connection ended, also for reasons of newer controllers', () => {
  expect(explainReason('agent left')).toBe('the agent ended');
  expect(explainReason('quota_reached')).toBe('quota reached');
  expect(explainReason(null)).toBeUndefined();
});
