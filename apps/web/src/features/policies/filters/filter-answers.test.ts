import { expect, it } from 'vitest';
import { readFilterConfig, readFilterStatus } from './filter-answers.ts';

it('reads the files of the first service', () => {
  const files = [{ path: 'guard.yaml', bytes: 3, sha256: 'ab' }];
  expect(readFilterConfig({ services: [{ service_id: 's', files, files_total: 7 }] })).toEqual({ files, total: 7 });
});

it('reads the processes and the log of the first service', () => {
  const status = { processes: [{ pid: 7, role: 'serving' }], logs: ['ready'] };
  expect(readFilterStatus({ services: [{ ...status, running: true }] })).toEqual(status);
});

it('leaves out what is not a file, and shows nothing for what is not a text', () => {
  const files = [null, 'x', { path: {}, bytes: 1, sha256: 'ab' }];
  expect(readFilterConfig({ services: [{ files, files_total: 3 }] })?.files).toEqual([
    { path: '', bytes: 1, sha256: 'ab' },
  ]);
});

it.each([undefined, null, 'x', {}, { services: [] }, { services: [{ running: true, policy_digest: '' }] }])(
  'does not accept %j',
  (result) => {
    expect(readFilterConfig(result)).toBeUndefined();
    expect(readFilterStatus(result)).toBeUndefined();
  },
);
