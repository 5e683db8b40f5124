import { fleet } from '@flotilla/proto';
import { expect, it } from 'vitest';
import { Catalog } from './catalog.ts';
import { EndpointProblems, findSickClusters, PROBLEMS_MAX, toClusterPattern } from './endpoint-problems.ts';
import { TrafficSums } from './traffic-sums.ts';

it('endpoints are found for clusters and addresses that contain the separator', () => {
  const problems = new EndpointProblems(['a', 'a::b', 'v6']);
  for (const line of [
    'a::127.0.0.1:80::health_flags::healthy',
    'a::127.0.0.1:80::health_flags::/failed_active_hc/failed_outlier_check',
    'a::b::10.0.0.1:80::health_flags::/failed_eds_health',
    'v6::[2001:db8::1]:80::health_flags::/failed_active_hc',
    'unknown::10.0.0.1:80::health_flags::/failed_active_hc',
    'a::127.0.0.1:80::cx_total::4',
  ]) {
    problems.take(line);
  }
  expect(problems.found.map(({ cluster, address, reasons }) => [cluster, address, ...reasons])).toEqual([
    ['a', '127.0.0.1:80', 'failed_active_hc', 'failed_outlier_check'],
    ['a::b', '10.0.0.1:80', 'failed_eds_health'],
    ['v6', '[2001:db8::1]:80', 'failed_active_hc'],
  ]);
});

it('the number of endpoints is bounded', () => {
  const problems = new EndpointProblems(['a']);
  for (let i = 0; i < 1_000; i += 1) problems.take(`a::10.0.0.1:${i}::health_flags::/failed_active_hc`);
  expect(problems.found).toHaveLength(PROBLEMS_MAX);
});

it('an endpoint that waits for its first check is no problem, and not left out either', () => {
  const problems = new EndpointProblems(['a']);
  problems.take('a::10.0.0.1:80::health_flags::/pending_active_hc');
  problems.take('a::10.0.0.2:80::health_flags::/failed_active_hc/active_hc_timeout');
  expect(problems.found.map(({ address }) => address)).toEqual(['10.0.0.2:80']);
  expect(problems.unhealthy).toBe(2);
});

const counts = (address: string, failed: number, succeeded: number) => [
  `a::${address}::cx_connect_fail::${failed}`,
  `a::${address}::rq_success::${succeeded}`,
  `a::${address}::health_flags::healthy`,
];

it('an endpoint fails if connections failed and no request succeeded since the previous reading', () => {
  const before = new EndpointProblems(['a']);
  for (const line of [
    ...counts('old', 5, 9),
    ...counts('flaky', 5, 9),
    ...counts('dead', 5, 9),
    ...counts('reset', 9, 9),
  ]) {
    before.take(line);
  }
  // Requests have succeeded at some time, so nothing is certain yet.
  expect(before.found).toEqual([]);
  const now = new EndpointProblems(['a'], before);
  for (const line of [
    ...counts('old', 5, 9),
    ...counts('flaky', 6, 10),
    ...counts('dead', 6, 9),
    ...counts('reset', 1, 0),
    ...counts('new', 1, 0),
  ]) {
    now.take(line);
  }
  expect(now.found.map(({ address, reasons }) => [address, ...reasons])).toEqual([
    ['dead', 'connect_failed'],
    ['new', 'connect_failed'],
  ]);
});

it('a cluster is sick if endpoints are unhealthy or ejected, or if connections fail', () => {
  const catalog = new Catalog({ listeners: [], hosts: [], clusters: [] });
  const sums = new TrafficSums();
  for (const [name, all, healthy, ejected, failures] of [
    ['well', 3, 3, 0, 0],
    ['half', 4, 2, 0, 0],
    ['ejected', 2, 2, 1, 0],
    ['failing', 1, 1, 0, 7],
    ['empty', 0, 0, 0, 0],
  ] as const) {
    const series = catalog.intern(fleet.TrafficScope.CLUSTER, name);
    sums.add(series, 'endpoints', all);
    sums.add(series, 'endpoints_healthy', healthy);
    sums.add(series, 'endpoints_ejected', ejected);
    sums.add(series, 'connect_failures', failures);
  }
  expect(findSickClusters(sums)).toEqual({
    names: ['half', 'ejected', 'failing'],
    allNames: ['well', 'half', 'ejected', 'failing'],
    unhealthy: 3,
    allEndpoints: 10,
  });
});

it('the pattern matches exactly the names, and only as many as fit into a request', () => {
  const pattern = new RegExp(toClusterPattern(['a.b', 'c(d)|e']));
  expect(['a.b', 'c(d)|e', 'axb', 'a.b.c', 'e'].map((name) => pattern.test(name))).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
  const long = Array.from({ length: 50 }, (_, i) => `${i}${'ü'.repeat(1_000)}`);
  expect(encodeURIComponent(toClusterPattern(long)).length).toBeLessThan(20_000);
});
