import { detectKind } from './detectors.ts';
import type { ValueKind } from './placeholders.ts';
import { formOf } from './segment-form.ts';

/** A segment as a pattern with a value, and the kind of the value. */
export interface SegmentKind {
  readonly pattern: string;
  readonly value: string;
  /** Undefined for a word. */
  readonly kind: ValueKind | undefined;
}

/** Words come again in every path, values seldom. */
const WORDS_REMEMBERED = 4096;
const WORD_CHARACTERS_MAX = 32;
const words = new Map<string, SegmentKind>();

/** The results of `formOf` and `detectKind`, remembered for short words. */
export function readSegment(segment: string): SegmentKind {
  const known = words.get(segment);
  if (known !== undefined) return known;
  const { pattern, value, isFunction } = formOf(segment);
  const read: SegmentKind = { pattern, value, kind: isFunction ? 'word' : detectKind(value) };
  if (read.kind === undefined && segment.length <= WORD_CHARACTERS_MAX) {
    if (words.size >= WORDS_REMEMBERED) words.clear();
    words.set(segment, read);
  }
  return read;
}
