import type { InventoryOperationSummary } from '@flotilla/contract';

const COLUMNS: Readonly<Record<string, (row: InventoryOperationSummary) => string | number | boolean>> = {
  id: ({ id }) => id,
  method: ({ method }) => method,
  host: ({ host }) => host,
  path: ({ normalized_path }) => normalized_path,
  operation: ({ operation }) => operation,
  confirmed: ({ confirmed }) => confirmed,
  calls: ({ seen_count }) => seen_count,
  errors: ({ error_count }) => error_count,
  max_latency_ms: ({ latency_max_ms }) => latency_max_ms,
  max_risk_score: ({ max_risk_score }) => max_risk_score,
  max_posture_score: ({ max_posture_score }) => max_posture_score,
  active_risk_score: ({ active_risk_score }) => active_risk_score,
  active_posture_score: ({ active_posture_score }) => active_posture_score,
  active_flags: (row) =>
    [...row.threat_flags, ...row.exposure_flags].flatMap(({ flag, active }) => (active ? [flag] : [])).join(' '),
  pii_categories: ({ pii_categories }) => pii_categories.map(({ category }) => category).join(' '),
  endpoint_categories: ({ endpoint_categories }) => endpoint_categories.join(' '),
  auth_posture: ({ auth_posture }) => auth_posture,
  protocols: ({ protocols }) => protocols.join(' '),
  listeners: ({ listeners }) => listeners.join(' '),
  first_seen: ({ first_seen }) => first_seen,
  last_seen: ({ last_seen }) => last_seen,
};

/** One line per operation, after a line of titles (RFC 4180). */
export function toCsv(rows: readonly InventoryOperationSummary[]): string {
  const lines = rows.map((row) => Object.values(COLUMNS).map((read) => toCell(read(row))));
  return [Object.keys(COLUMNS), ...lines].map((cells) => `${cells.join(',')}\r\n`).join('');
}

/** A spreadsheet runs a text that begins like a formula: an apostrophe before it makes it a text. Clients choose hosts and paths. */
function toCell(value: string | number | boolean): string {
  if (typeof value !== 'string') return String(value);
  const text = value.replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '\u{fffd}');
  const safe = /^\s*[=+\-@|%]/.test(text) ? `'${text}` : text;
  return /[",;'\s]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
