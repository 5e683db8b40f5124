import { diff } from '@codemirror/merge';
import { Annotation, type ChangeSpec } from '@codemirror/state';
import type { Command, EditorView } from '@codemirror/view';
import { formatText } from '../document/format.ts';
import type { Language } from '../document/tree.ts';

/** Longer texts are replaced in one change, which resets cursor and folds. */
const DIFF_MAX = 200_000;

/** Formats the document; does nothing while it has a syntax error. */
export function formatDocument(language: Language): Command {
  return (view) => {
    if (view.state.readOnly) return false;
    const formatted = formatText(view.state.doc.toString(), language);
    if (formatted !== undefined) replaceText(view, formatted, 'format');
    return true;
  };
}

/** Marks a change from outside, whose author knows about it. */
export const fromOutside = Annotation.define<boolean>();

/** Replaces the text with as few changes as possible, to keep cursor, folds and scroll position. */
export function replaceText(view: EditorView, text: string, origin: 'format' | 'outside'): void {
  const before = view.state.doc.toString();
  if (before === text) return;
  const changes = changesBetween(before, text);
  view.dispatch(
    origin === 'format' ? { changes, userEvent: 'format' } : { changes, annotations: fromOutside.of(true) },
  );
}

function changesBetween(before: string, after: string): ChangeSpec[] {
  if (before.length + after.length > DIFF_MAX) return [{ from: 0, to: before.length, insert: after }];
  return diff(before, after, { scanLimit: 500, timeout: 100 }).map(({ fromA, toA, fromB, toB }) => ({
    from: fromA,
    to: toA,
    insert: after.slice(fromB, toB),
  }));
}
