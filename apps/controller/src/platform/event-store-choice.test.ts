import { expect, it } from 'vitest';
import { parseEventStore } from './event-store-choice.ts';

it.each([undefined, ''])('%j is a file in the data folder', (text) => {
  expect(parseEventStore(text, '/data')).toEqual({ ok: true, value: { kind: 'duckdb', path: '/data/events.duckdb' } });
});

it('an address names the server, the user and the database', () => {
  expect(parseEventStore('clickhouse://me:p%40ss@ch.example.com:9000/events', '/data')).toMatchObject({
    value: { url: 'http://ch.example.com:9000', username: 'me', password: 'p@ss', database: 'events' },
  });
  expect(parseEventStore('clickhouses://ch.example.com', '/data')).toMatchObject({
    value: { url: 'https://ch.example.com:8443', username: 'default', password: '', database: 'flotilla' },
  });
  expect(parseEventStore('off', '/data')).toMatchObject({ value: { kind: 'off' } });
});

it.each([
  'on',
  'http://x',
  'clickhouse://',
  'clickhouse://h/a-b',
  'clickhouse://h/a?x=1',
  'clickhouse://u:secret%zz@h',
])('%j is refused without being repeated', (text) => {
  const parsed = parseEventStore(text, '/data');
  expect(parsed.ok).toBe(false);
  expect(JSON.stringify(parsed)).not.toContain('secret');
});
