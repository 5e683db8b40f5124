/** Code units that stay allocated between paths; no proxy accepts longer headers. */
const KEPT_UNITS_MAX = 1 << 16;
const SHORT_UNITS = 64;
const LATIN1_MAX = 0xff;

/**
 * The UTF-16 code units of one text, which `rewrite` shortens in place, so that a text of thousands of small pieces
 * takes linear time. Shared by the thread, because nothing here is asynchronous.
 */
let units = new Uint16Array(1 << 10);
let unitBytes = Buffer.from(units.buffer);
let narrow = Buffer.alloc(units.length);

/** Rewrites the first `length` units of `codes` in place, without overtaking what it has read; returns the new length. */
export type Edit = (codes: Uint16Array, length: number) => number;

/** Returns the text after an edit that only removes: an unchanged length means an unchanged text. */
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
  // A native call costs more than it saves for an ordinary path. Assumes little-endian, as on all our targets.
  if (text.length > SHORT_UNITS) unitBytes.write(text, 'utf16le');
  else for (let at = 0; at < text.length; at++) units[at] = text.charCodeAt(at);
}

function reserve(length: number): void {
  units = new Uint16Array(length);
  unitBytes = Buffer.from(units.buffer);
  narrow = Buffer.alloc(length);
}

/** Uses one byte per character if possible: such a string takes half the memory and is faster to fold and compare. */
function readUnits(size: number): string {
  let highest = 0;
  for (let at = 0; at < size; at++) highest |= units[at] as number;
  if (highest > LATIN1_MAX) return unitBytes.toString('utf16le', 0, size * 2);
  for (let at = 0; at < size; at++) narrow[at] = units[at] as number;
  return narrow.toString('latin1', 0, size);
}
