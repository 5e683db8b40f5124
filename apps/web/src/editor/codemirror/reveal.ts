import { EditorView } from '@codemirror/view';

/** A line to bring into view. */
export interface RevealedLine {
  /** 1-based; beyond the last one it is the last one. */
  readonly line: number;
  /** The cursor goes there, too, and the focus; else it stays with whoever has it. */
  readonly takesCursor: boolean;
}

/** Brings a line into the view of an editor. Returns what gives up waiting for the editor to be seen. */
export function reveal(view: EditorView, { line, takesCursor }: RevealedLine): () => void {
  let frame = 0;
  const scroll = () => view.dispatch({ effects: EditorView.scrollIntoView(startOf(view, line), { y: 'center' }) });
  const begin = () => {
    if (takesCursor) {
      view.dispatch({ selection: { anchor: startOf(view, line) } });
      view.focus();
    }
    scroll();
    // Far away in a text with wrapped lines the editor goes by heights that it only guesses, and ends up elsewhere. The lines
    // are measured once they are drawn.
    frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(scroll);
    });
  };
  // An editor is made out of sight while something beside it loads, and without a height it goes nowhere.
  const sized = new ResizeObserver(([entry]) => {
    if (entry === undefined || entry.contentRect.height === 0) return;
    sized.disconnect();
    begin();
  });
  sized.observe(view.dom);
  return () => {
    sized.disconnect();
    cancelAnimationFrame(frame);
  };
}

function startOf({ state: { doc } }: EditorView, line: number): number {
  return doc.line(Math.max(1, Math.min(line, doc.lines))).from;
}
