import { expect, it } from 'vitest';
import { listBacklogs, listDisks, listProcesses } from './host-sample.ts';

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

it('the service with the largest backlog comes first, and an older agent reports none', () => {
  const spool = { bytes: 10, oldest_at: null, dropped_batches: 0 };
  const stats = {
    log_spools: [
      { ...spool, service_id: 'calm', batches: 0 },
      { ...spool, service_id: 'busy', batches: 7, oldest_at: '2026-11-28T10:00:00Z', dropped_batches: 2 },
      { service_id: 'odd' },
    ],
  };
  expect(listBacklogs(stats)).toEqual([
    { serviceId: 'busy', batches: 7, bytes: 10, oldestAt: '2026-11-28T10:00:00Z', dropped: 2 },
    { serviceId: 'calm', batches: 0, bytes: 10, oldestAt: null, dropped: 0 },
  ]);
  expect(listBacklogs({})).toEqual([]);
});
