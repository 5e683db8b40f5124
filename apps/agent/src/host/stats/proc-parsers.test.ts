import { expect, test } from 'vitest';
import { parseCpuTimes, parseMemory, parseMounts, parseNetwork, parseProcess } from './proc-parsers.ts';

test('waiting for disks is idleness, guest time is not counted twice', () => {
  expect(parseCpuTimes('cpu  10 1 5 100 20 1 2 3 7 7\ncpu0 1 1 1 1')).toEqual({ busy: 22, total: 142 });
  expect(parseCpuTimes('')).toBeUndefined();
});

test('memory in use is what is not available', () => {
  expect(parseMemory('MemTotal:       1000 kB\nMemFree: 1 kB\nMemAvailable:    400 kB\n')).toEqual({
    total: 1_024_000,
    used: 614_400,
  });
  expect(parseMemory('nothing')).toBeUndefined();
});

test('loopback does not count as network', () => {
  const dev = [
    'Inter-|   Receive',
    ' face |bytes    packets',
    '    lo: 999 1 0 0 0 0 0 0 999 1 0 0 0 0 0 0',
    '  eth0: 10 1 0 0 0 0 0 0 20 1 0 0 0 0 0 0',
    '  eth1:5 1 0 0 0 0 0 0 6 1 0 0 0 0 0 0',
  ];
  expect(parseNetwork(dev.join('\n'))).toEqual({ rx: 15, tx: 26 });
});

test('a device that is mounted twice is one disk', () => {
  const mounts =
    '/dev/a / ext4 rw 0 0\n/dev/a /mnt/bind ext4 rw 0 0\nproc /proc proc rw 0 0\n/dev/b /my\\040disk xfs rw 0 0\n';
  expect(parseMounts(mounts)).toEqual(['/', '/my disk']);
});

test('a program may have blanks and brackets in its name', () => {
  const fields = ['S', ...Array.from({ length: 30 }, (_, n) => String(n + 4))];
  expect(parseProcess(`12 (a) (b c) ${fields.join(' ')}`)).toEqual({ ticks: 14 + 15, rssPages: 24 });
});
