import { expect, it } from 'vitest';
import { findOperation, isRelease, OPERATIONS, toCommandBody } from './operations.ts';

const body = (id: string, version?: string) => {
  const operation = findOperation(id);
  if (!operation) throw new Error(`no operation ${id}`);
  return toCommandBody(operation, { serviceId: 's', clientIds: ['a', 'b'], ...(version && { version }) });
};

it('the command names the service and every chosen client', () => {
  expect(body('restart')).toEqual({
    type: 'SERVICE',
    sub_type: 'SUB_RESTART',
    clients: [{ client_id: 'a' }, { client_id: 'b' }],
    command: { service_id: 's' },
  });
});

it('the command has a version only if one is set', () => {
  expect(body('version', '1.39.3').command).toEqual({ service_id: 's', operation: 'SET_VERSION', version: '1.39.3' });
  expect(body('deploy', '1.39.3').command).toEqual({ service_id: 's' });
});

it('an upgrade names both versions, and the drain time only if one is given', () => {
  const upgrade = findOperation('upgrade');
  const order = { serviceId: 's', clientIds: ['a'], from: '1.39.3', version: '1.40.0' };
  expect(upgrade && toCommandBody(upgrade, order)).toEqual({
    type: 'UPGRADE_LISTENER',
    sub_type: '',
    clients: [{ client_id: 'a' }],
    command: { service_id: 's', from_version: '1.39.3', to_version: '1.40.0' },
  });
  const timed = upgrade && toCommandBody(upgrade, { ...order, drainTime: 60 });
  expect(timed?.command).toMatchObject({ drain_time_seconds: 60 });
});

it('every operation describes its effect on connections, and those that cut them are marked', () => {
  for (const operation of OPERATIONS) expect(operation.toConnections, operation.id).not.toBe('');
  const cutting = OPERATIONS.filter(({ isCutting }) => isCutting).map(({ id }) => id);
  expect(cutting).toEqual(['undeploy', 'stop', 'restart']);
});

it('only exact releases are accepted', () => {
  expect(['1.39.3', '1.40.0'].every(isRelease)).toBe(true);
  expect(['', '1.39', 'v1.39.3', '1.39.3-dev', 'latest'].some(isRelease)).toBe(false);
});

it('an unknown operation is not found', () => {
  expect(findOperation('destroy')).toBeUndefined();
  expect(findOperation(undefined)).toBeUndefined();
});
