import { texts } from './texts.ts';

const words = texts.showValue;
/** A value formatted for a list of changes. */
export interface ShownValue {
  readonly text: string;
  /** The truncated text; `undefined`: nothing was truncated. */
  readonly cut: string | undefined;
  readonly isPrivate: boolean;
}

const CHARACTERS_MAX = 240;
const LINES_MAX = 6;
const INLINE_MAX = 60;

/** Formats a value: short ones on one line, long ones truncated. Hides private values. */
export function showValue(value: unknown): ShownValue {
  if (isPrivateMark(value)) return { text: words.private, cut: undefined, isPrivate: true };
  const inline = JSON.stringify(value) ?? '';
  const text = inline.length <= INLINE_MAX ? inline : (JSON.stringify(value, null, 2) ?? '');
  const lines = text.split('\n');
  const head = lines.slice(0, LINES_MAX).join('\n').slice(0, CHARACTERS_MAX);
  return { text, cut: head.length < text.length ? head : undefined, isPrivate: false };
}

/** Whether the value is the API's placeholder for a private value: `{ "set": true, "updated_at": ... }`. */
function isPrivateMark(value: unknown): boolean {
  if (value === '(private)' || value === '[private]') return true;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const keys = Object.keys(value);
  return (
    'set' in value &&
    value.set === true &&
    keys.every((key) => key === 'set' || key === 'updated_at' || key === 'digest')
  );
}
