import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LineSplitter, parseBuckets, parseStatLine } from './stat-lines.ts';

it('lines survive any division into parts', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.array(fc.nat(20)), (lines, cuts) => {
      const text = lines.map((line) => `${line.replaceAll('\n', '')}\n`).join('');
      const splitter = new LineSplitter();
      const found: string[] = [];
      let at = 0;
      for (const cut of cuts) {
        splitter.add(text.slice(at, at + cut), (line) => found.push(line));
        at += cut;
      }
      splitter.add(text.slice(at), (line) => found.push(line));
      expect(found).toEqual(text.split('\n').slice(0, -1));
    }),
  );
});

it('a line without an end is refused before it costs much', () => {
  const splitter = new LineSplitter();
  const parts = () => {
    for (let i = 0; i < 10; i += 1) splitter.add('x'.repeat(10_000), () => undefined);
  };
  expect(parts).toThrow('a line has more than 65536 characters');
});

it('a line is split at the last colon, because names may contain colons', () => {
  expect(parseStatLine('vhost.a: b.vcluster.x.upstream_rq_2xx: 3')).toEqual({
    name: 'vhost.a: b.vcluster.x.upstream_rq_2xx',
    value: '3',
  });
  expect(parseStatLine('no value')).toBeUndefined();
});

it('buckets are parsed with their bounds in microseconds', () => {
  expect(parseBuckets('B0.5(1,3) B1(0,4) B1.8e+06(0,1)')).toEqual({
    bounds: [500, 1_000, 1_800_000_000],
    counts: [3, 4, 1],
  });
  for (const wrong of [
    '',
    'No recorded values',
    'B1(0,1) B0.5(0,1)',
    'B1(0,x)',
    'Bx(0,1)',
    'B1(0,1',
    'B1e300(0,1)',
    'B1(0,1e99)',
    Array.from({ length: 200 }, (_, i) => `B${i}(0,1)`).join(' '),
  ]) {
    expect(parseBuckets(wrong)).toBeUndefined();
  }
});
