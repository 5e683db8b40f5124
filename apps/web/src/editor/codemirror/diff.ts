import { getChunks, goToNextChunk, goToPreviousChunk, MergeView, unifiedMergeView } from '@codemirror/merge';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import type { Language } from '../document/tree.ts';
import { viewExtensions } from './base.ts';
import { texts } from './texts.ts';

const words = texts.diff;

export interface DiffOptions {
  readonly parent: HTMLElement;
  readonly before: string;
  readonly after: string;
  readonly language: Language;
  readonly layout: 'side-by-side' | 'unified';
  /** Folds unchanged parts to a line with their count. */
  readonly collapse: boolean;
}

export interface DiffHandle {
  next(): void;
  previous(): void;
  destroy(): void;
}

const keys = keymap.of([
  { key: 'Alt-ArrowDown', run: goToNextChunk },
  { key: 'Alt-ArrowUp', run: goToPreviousChunk },
]);

/** Shows a difference, read only. `next` and `previous` move the cursor to a change and bring it into view. */
export function showDiff({ parent, before, after, language, layout, collapse }: DiffOptions): DiffHandle {
  const shared: Extension = [viewExtensions(language), EditorState.readOnly.of(true), EditorView.lineWrapping, keys];
  const collapseUnchanged = collapse ? { collapseUnchanged: { margin: 3, minSize: 6 } } : {};
  const diffConfig = { scanLimit: 2000, timeout: 300 };
  if (layout === 'unified') {
    const merge = unifiedMergeView({ original: before, mergeControls: false, diffConfig, ...collapseUnchanged });
    const view = new EditorView({
      parent,
      doc: after,
      extensions: [shared, merge, label(words.extensionsAfterRemoved)],
    });
    return handleOf(view, () => view.destroy());
  }
  const merge = new MergeView({
    parent,
    a: { doc: before, extensions: [shared, label(words.extensionsBefore)] },
    b: { doc: after, extensions: [shared, label(words.extensionsAfter)] },
    diffConfig,
    ...collapseUnchanged,
  });
  return handleOf(merge.b, () => merge.destroy());
}

function label(text: string): Extension {
  return EditorView.contentAttributes.of({ 'aria-label': text, 'aria-readonly': 'true', tabindex: '0' });
}

function handleOf(view: EditorView, destroy: () => void): DiffHandle {
  const go = (command: typeof goToNextChunk) => {
    if (!getChunks(view.state)) return;
    command(view);
    view.dispatch({ effects: EditorView.scrollIntoView(view.state.selection.main.head, { y: 'center' }) });
    view.focus();
  };
  return { next: () => go(goToNextChunk), previous: () => go(goToPreviousChunk), destroy };
}
