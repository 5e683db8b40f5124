import { EditorView } from '@codemirror/view';

/** A line to bring into view. */
export interface RevealedLine {
  /** 1-based; a higher number means the last line. */
  readonly line: number;
  /** Moves the cursor and the focus to the line, too. */
  readonly takesCursor: boolean;
}

/** Scrolls a line into view. Returns a function that cancels the wait for the editor to become visible. */
export function reveal(view: EditorView, { line, takesCursor }: RevealedLine): () => void {
  let frame = 0;
  const scroll = () => view.dispatch({ effects: EditorView.scrollIntoView(startOf(view, line), { y: 'center' }) });
  const begin = () => {
    if (takesCursor) {
      view.dispatch({ selection: { anchor: startOf(view, line) } });
      view.focus();
    }
    scroll();
    // In a long text with wrapped lines the editor scrolls by estimated heights and misses the line. Rendered lines are measured.
    frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(scroll);
    });
  };
  // An editor without a height, mounted while hidden, cannot scroll.
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
