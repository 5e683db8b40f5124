import type { OwnedOperation } from '@flotilla/contract';

const COLUMNS: Readonly<Record<string, (row: OwnedOperation) => string | number>> = {
  method: ({ method }) => method,
  path: ({ path }) => path,
  listener: ({ listeners }) => listeners.join(' '),
  host: ({ host }) => host,
  protocol: ({ protocols }) => protocols.join(' '),
  team: ({ team }) => team,
  owner: ({ owner }) => owner,
  criticality: ({ criticality }) => criticality ?? '',
  data_classes: ({ data_classes }) => data_classes.join(' '),
  tags: ({ tags }) => tags.join(' '),
  active_risk_score: ({ active_risk_score: score }) => score,
  active_exposure_score: ({ active_exposure_score: score }) => score,
  last_seen: ({ last_seen }) => last_seen,
  active_flags: ({ active_flags }) => active_flags.join(' '),
  pii_categories: ({ pii_categories }) => pii_categories.join(' '),
  id: ({ operation_id }) => operation_id,
};

export const CSV_HEAD = `${Object.keys(COLUMNS).join(',')}\r\n`;

/** One line (RFC 4180). */
export function toCsvLine(row: OwnedOperation): string {
  return `${Object.values(COLUMNS)
    .map((read) => toCell(read(row)))
    .join(',')}\r\n`;
}

/** A spreadsheet runs a text that begins like a formula: an apostrophe before it makes it a text. Clients choose hosts and paths. */
function toCell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = value.replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '\u{fffd}');
  const safe = /^\s*[=+\-@|%]/.test(text) ? `'${text}` : text;
  return /[",;'\s]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
