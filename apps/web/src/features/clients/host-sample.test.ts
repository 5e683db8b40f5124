import { expect, it } from 'vitest';
import { listDisks, listProcesses } from './host-sample.ts';

it('the fullest file system and the busiest process come first', () => {
  const stats = {
    disks: [
      { mount_point: '/', used_bytes: 10, total_bytes: 100 },
      { mount_point: '/data', used_bytes: 90, total_bytes: 100 },
      { mount_point: '/proc', used_bytes: 0, total_bytes: 0 },
    ],
    processes: [
      { pid: 2, kind: 'shield', service_id: 's', cpu_percent: 1, rss_bytes: 5 },
      { pid: 1, kind: 'envoy', service_id: 's', cpu_percent: 7, rss_bytes: 6 },
    ],
  };
  expect(listDisks(stats).map(({ mount }) => mount)).toEqual(['/data', '/', '/proc']);
  expect(listProcesses(stats)).toEqual([
    { pid: 1, kind: 'envoy', serviceId: 's', cpu: 7, rss: 6 },
    { pid: 2, kind: 'shield', serviceId: 's', cpu: 1, rss: 5 },
  ]);
});

it('malformed entries are skipped, and a client that never reported has no entries', () => {
  expect(listDisks({ disks: [null, { mount_point: 5 }], processes: 'none' })).toEqual([]);
  expect(listProcesses({ processes: [{ pid: '1' }] })).toEqual([]);
  expect(listDisks(null)).toEqual([]);
});
