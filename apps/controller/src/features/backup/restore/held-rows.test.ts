import { expect, it } from 'vitest';
import { HeldRows } from './held-rows.ts';

const MEGABYTE = 'x'.repeat(1024 * 1024);
/** What a row of this text costs: its JSON has two quotation marks. */
const rowsOf = (count: number) => Array.from({ length: count }, () => MEGABYTE.slice(2));
const fill = (section: string, rows: readonly unknown[], held = new HeldRows()) => {
  for (const row of rows) held.add(section, row);
  return held;
};
const TOO_LARGE = expect.objectContaining({ code: 'backup.too_large' });

it('256 M characters are held, and not one row more', () => {
  const held = fill('documents', rowsOf(256));
  expect(held.of('documents')).toHaveLength(256);
  expect(() => held.add('permissions', 0)).toThrow(TOO_LARGE);
});

it('100,000 records are held, whatever sections they are of, and not one more', () => {
  const held = fill('documents', new Array(50_000).fill(0));
  fill('permissions', new Array(50_000).fill(0), held);
  expect(() => held.add('memberships', 0)).toThrow(TOO_LARGE);
});

it('what no restore takes costs nothing, however much there is of it', () => {
  const held = fill('audit_log', new Array(100_001).fill(0));
  fill('shield_events', rowsOf(300), held);
  expect([held.of('audit_log'), held.of('shield_events')]).toEqual([[], []]);
});

it('a history that is too large is let go whole, and keeps nobody from the rest', () => {
  const held = fill('document_revisions', rowsOf(64));
  expect([held.isHistoryTooLarge, held.of('document_revisions').length]).toEqual([false, 64]);
  held.add('policy_revisions', 0);
  expect([held.isHistoryTooLarge, held.of('document_revisions'), held.of('policy_revisions')]).toEqual([true, [], []]);
  fill('document_revisions', rowsOf(300), held);
  expect(held.of('document_revisions')).toEqual([]);
  expect(fill('documents', rowsOf(256), held).of('documents')).toHaveLength(256);
});
