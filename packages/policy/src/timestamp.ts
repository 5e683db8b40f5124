const RFC3339 = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2}:\d{2})(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})$/;

/** Milliseconds since the epoch of an RFC 3339 timestamp. NaN for other text, and for days that do not exist. */
export function parseTimestampMs(text: string): number {
  const parts = RFC3339.exec(text);
  if (parts === null) return Number.NaN;
  const [, day = '', time = ''] = parts;
  // The engine's own parser turns February 30 into a day of March, and 24:00 into the next day.
  const wall = new Date(`${day}T${time}Z`);
  const isReal = !Number.isNaN(wall.getTime()) && wall.toISOString().startsWith(`${day}T${time}`);
  return isReal ? Date.parse(text.toUpperCase()) : Number.NaN;
}
