/** Room that stays between paths, in code units; no header that a proxy lets in is longer. */
const KEPT_UNITS_MAX = 1 << 16;
const SHORT_UNITS = 64;
const LATIN1_MAX = 0xff;

/**
 * The UTF-16 code units of one text, which `rewrite` makes shorter in place: a text of thousands of short pieces costs what its
 * length costs. Nothing here waits, so all of a thread share it.
 */
let units = new Uint16Array(1 << 10);
let unitBytes = Buffer.from(units.buffer);
let narrow = Buffer.alloc(units.length);

/** Writes to the front of `codes` what is to become of its first `length`, never ahead of what it has read; returns how many. */
export type Edit = (codes: Uint16Array, length: number) => number;

/** The text after an edit that only takes away: one that leaves the length leaves the text. */
export function rewrite(text: string, edit: Edit): string {
  const { length } = text;
  if (units.length < length) reserve(length);
  load(text);
  const size = edit(units, length);
  const edited = size === length ? text : readUnits(size);
  if (units.length > KEPT_UNITS_MAX) reserve(KEPT_UNITS_MAX);
  return edited;
}

function load(text: string): void {
  // A call out of the engine costs more than it saves for an ordinary path. Its order of bytes is that of all machines we build for.
  if (text.length > SHORT_UNITS) unitBytes.write(text, 'utf16le');
  else for (let at = 0; at < text.length; at++) units[at] = text.charCodeAt(at);
}

function reserve(length: number): void {
  units = new Uint16Array(length);
  unitBytes = Buffer.from(units.buffer);
  narrow = Buffer.alloc(length);
}

/** One byte a character where that is enough: such a text is half as large, and quicker to fold and to compare. */
function readUnits(size: number): string {
  let highest = 0;
  for (let at = 0; at < size; at++) highest |= units[at] as number;
  if (highest > LATIN1_MAX) return unitBytes.toString('utf16le', 0, size * 2);
  for (let at = 0; at < size; at++) narrow[at] = units[at] as number;
  return narrow.toString('latin1', 0, size);
}
