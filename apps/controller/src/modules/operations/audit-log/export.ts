import { Buffer } from 'node:buffer';
import { Readable } from 'node:stream';
import type { AuditEntryView } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { listEntries } from './list-store.ts';
import type { AuditFilter } from './store.ts';

type ExportFormat = 'ndjson' | 'csv';

export const EXPORT_MEDIA: Readonly<Record<ExportFormat, string>> = {
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
};

/** Entries per query, and so the memory of an export of any length. */
const PAGE = 1000;

/** Size of a piece: a slow reader would need too long for a page. */
const PIECE_BYTES = 64 * 1024;

/** A reader that takes no piece for this time is gone, or blocks a place for others. */
const STALLED_MS = 60_000;

/**
 * Streams matching entries, newest first, as fast as the reader takes them. Excludes entries written after the start.
 * Fails if the reader stalls.
 */
export function openExport(db: Db, filter: AuditFilter, format: ExportFormat, stalledMs = STALLED_MS): Readable {
  const body = Readable.from(watch(writeLines(db, filter, format)), { objectMode: false, highWaterMark: PIECE_BYTES });
  async function* watch(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const piece of pieces) {
      const timer = setTimeout(() => body.destroy(new Error('the reader of an export stands still')), stalledMs);
      try {
        yield piece;
      } finally {
        clearTimeout(timer);
      }
    }
  }
  return body;
}

async function* writeLines(db: Db, filter: AuditFilter, format: ExportFormat): AsyncGenerator<Buffer> {
  const toLine = format === 'csv' ? toCsvLine : toJsonLine;
  if (format === 'csv') yield Buffer.from(`${CSV_COLUMNS.map(([title]) => title).join(',')}\r\n`);
  let cursor: string | undefined;
  do {
    const page = await listEntries(db, { ...filter, cursor, limit: PAGE });
    const lines = Buffer.from(page.items.map(toLine).join(''));
    for (let from = 0; from < lines.length; from += PIECE_BYTES) yield lines.subarray(from, from + PIECE_BYTES);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
}

function toJsonLine(entry: AuditEntryView): string {
  return `${JSON.stringify(entry)}\n`;
}

const CSV_COLUMNS: readonly (readonly [title: string, value: (entry: AuditEntryView) => unknown])[] = [
  ['at', ({ at }) => at],
  ['project', ({ project }) => project],
  ['actor_kind', ({ actor }) => actor.kind],
  ['actor_id', ({ actor }) => actor.id],
  ['actor_name', ({ actor }) => actor.name],
  ['actor_role', ({ actor }) => actor.role],
  ['action', ({ action }) => action],
  ['outcome', ({ outcome }) => outcome],
  ['status', ({ status }) => status],
  ['error_code', ({ error_code: code }) => code],
  ['resource_type', ({ resource }) => resource.type],
  ['resource_id', ({ resource }) => resource.id],
  ['resource_name', ({ resource }) => resource.name],
  ['method', ({ request }) => request.method],
  ['path', ({ request }) => request.path],
  ['client_ip', ({ request }) => request.client_ip],
  ['user_agent', ({ request }) => request.user_agent],
  ['request_id', ({ request }) => request.id],
  ['id', ({ id }) => id],
  ['changes', ({ changes }) => (changes === null ? null : JSON.stringify(changes))],
];

function toCsvLine(entry: AuditEntryView): string {
  return `${CSV_COLUMNS.map(([, value]) => toCell(value(entry))).join(',')}\r\n`;
}

/** RFC 4180. Prefixes text that a spreadsheet would evaluate as a formula with an apostrophe. */
function toCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = String(value);
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
