import type { Extension } from '@codemirror/state';
import { type EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import { formatPath } from '../document/path.ts';
import { READ_MAX } from '../document/read.ts';
import { type Language, positionAt } from '../document/tree.ts';
import { treeOf } from './analysis.ts';

/** Long enough to parse the document only once while an arrow key is held down. */
const DELAY_MS = 150;

/** Reports the path of the value under the cursor: `clusters[0].name`. */
export function cursorPath(language: Language, onPath: (path: string) => void): Extension {
  return ViewPlugin.fromClass(
    class {
      #timer: ReturnType<typeof setTimeout> | undefined;
      #last: string | undefined;
      readonly #view: EditorView;

      constructor(view: EditorView) {
        this.#view = view;
      }

      update(update: ViewUpdate): void {
        if (!update.selectionSet && !update.docChanged) return;
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#tell(), DELAY_MS);
      }

      destroy(): void {
        clearTimeout(this.#timer);
      }

      #tell(): void {
        const { doc, selection } = this.#view.state;
        if (doc.length > READ_MAX[language]) return;
        const path = formatPath(positionAt(treeOf(doc, language).root, selection.main.head)?.path ?? []);
        if (path !== this.#last) onPath(path);
        this.#last = path;
      }
    },
  );
}
