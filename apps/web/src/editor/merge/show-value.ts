import { texts } from '../../texts/index.ts';

const words = texts.editor.merge.showValue;
/** A value as a person reads it in a list of changes. */
export interface ShownValue {
  readonly text: string;
  /** The text is cut here; `undefined`: it is whole. */
  readonly cut: string | undefined;
  readonly isPrivate: boolean;
}

const CHARACTERS_MAX = 240;
const LINES_MAX = 6;
const INLINE_MAX = 60;

/** Pretty, short values on one line; long ones with a cut. A private value is never shown, only that there is one. */
export function showValue(value: unknown): ShownValue {
  if (isPrivateMark(value)) return { text: words.private, cut: undefined, isPrivate: true };
  const inline = JSON.stringify(value) ?? '';
  const text = inline.length <= INLINE_MAX ? inline : (JSON.stringify(value, null, 2) ?? '');
  const lines = text.split('\n');
  const head = lines.slice(0, LINES_MAX).join('\n').slice(0, CHARACTERS_MAX);
  return { text, cut: head.length < text.length ? head : undefined, isPrivate: false };
}

/** How the API stands in for what it does not show: `{ "set": true, "updated_at": ... }`. */
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
