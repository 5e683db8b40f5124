const RFC3339 = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2}:\d{2})(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})$/;

/** Parses an RFC 3339 timestamp to milliseconds since the epoch. NaN for other text and for nonexistent days. */
export function parseTimestampMs(text: string): number {
  const parts = RFC3339.exec(text);
  if (parts === null) return Number.NaN;
  const [, day = '', time = ''] = parts;
  // The built-in parser turns February 30 into a day in March, and 24:00 into the next day.
  const wall = new Date(`${day}T${time}Z`);
  const isReal = !Number.isNaN(wall.getTime()) && wall.toISOString().startsWith(`${day}T${time}`);
  return isReal ? Date.parse(text.toUpperCase()) : Number.NaN;
}
