import { describe, expect, it } from 'vitest';
import { INITIAL, listChoices, ROLLOUT_CHOICES, toRequest } from './rollout-request.ts';

const values = { ...INITIAL, what: 'SERVICE SUB_RESTART', service: ' shop ' };

describe('the request of a rollout', () => {
  it('has the service and the sizes as the form shows them', () => {
    expect(toRequest(values)).toEqual({
      type: 'SERVICE',
      sub_type: 'SUB_RESTART',
      command: { name: 'shop' },
      wave_percent: 10,
      pause_s: 0,
      wait_s: 600,
      stop_at_failures: 1,
    });
    const sized = { ...values, first: '1', wave: '5', stop: '20%', pause: 30, time: 60 };
    expect(toRequest(sized)).toMatchObject({
      first_wave: 1,
      wave_size: 5,
      stop_at_failed_percent: 20,
      pause_s: 30,
      wait_s: 60,
    });
  });

  it('has the clients only as they were chosen last', () => {
    const both = { ...values, labelled: ['site=berlin'], named: ['id-1'] };
    expect(toRequest({ ...both, chosenBy: 'labels' })).toMatchObject({ labels: ['site=berlin'] });
    expect(toRequest({ ...both, chosenBy: 'labels' })).not.toHaveProperty('clients');
    expect(toRequest({ ...both, chosenBy: 'names' })).toMatchObject({ clients: ['id-1'] });
    expect(toRequest(both)).not.toHaveProperty('labels');
  });

  it('has the operation and the version of commands that need them', () => {
    const install = { ...values, what: 'DATAPLANE_VERSION SET_VERSION', service: '', version: 'v1.39.3' };
    expect(toRequest(install)).toMatchObject({
      type: 'DATAPLANE_VERSION',
      sub_type: '',
      command: { operation: 'SET_VERSION', version: '1.39.3' },
    });
  });
});

it('the request of an upgrade names both versions', () => {
  const upgrade = { ...values, what: 'UPGRADE_LISTENER', from: ' v1.39.3', version: '1.40.0' };
  expect(toRequest(upgrade)).toMatchObject({
    type: 'UPGRADE_LISTENER',
    command: { name: 'shop', from_version: '1.39.3', to_version: '1.40.0' },
  });
});

it('every choice is a command that changes something, and a viewer has none', () => {
  expect(ROLLOUT_CHOICES.every(({ kind }) => kind !== 'query')).toBe(true);
  expect(listChoices('viewer')).toEqual([]);
  expect(listChoices('admin').map(({ value }) => value)).toContain('SERVICE SUB_RESTART');
});
