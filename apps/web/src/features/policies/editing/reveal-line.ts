import type { EditorView } from '@codemirror/view';

/**
 * Puts the cursor of the editor in `container` at the beginning of a line and brings it into view; waits for the editor to
 * be there. Returns what gives up waiting.
 */
export function revealLine(container: HTMLElement, line: number): () => void {
  return whenThere(container, (view, scroll) => {
    view.dispatch({ selection: { anchor: startOf(view, line) } });
    view.focus();
    scroll(line);
  });
}

/** Brings a line into view and nothing else: the focus stays with whoever has it. */
export function showLine(container: HTMLElement, line: number): () => void {
  return whenThere(container, (_, scroll) => scroll(line));
}

function startOf({ state: { doc } }: EditorView, line: number): number {
  return doc.line(Math.max(1, Math.min(line, doc.lines))).from;
}

type Reveal = (view: EditorView, scroll: (line: number) => void) => void;

function whenThere(container: HTMLElement, reveal: Reveal): () => void {
  let frame = 0;
  const find = async () => {
    const element = container.querySelector<HTMLElement>('.cm-editor');
    if (!element) return;
    const { EditorView: Editor } = await import('@codemirror/view');
    const view = Editor.findFromDOM(element);
    if (!view) return;
    const scroll = (line: number) =>
      view.dispatch({ effects: Editor.scrollIntoView(startOf(view, line), { y: 'center' }) });
    reveal(view, (line) => {
      scroll(line);
      // Far away in a text with wrapped lines the editor goes by heights that it only guesses, and ends up elsewhere. The lines
      // are measured once they are drawn.
      frame = requestAnimationFrame(() => {
        frame = requestAnimationFrame(() => scroll(line));
      });
    });
  };
  const observer = new MutationObserver(() => {
    if (!container.querySelector('.cm-editor')) return;
    observer.disconnect();
    void find();
  });
  if (container.querySelector('.cm-editor')) void find();
  else observer.observe(container, { childList: true, subtree: true });
  return () => {
    observer.disconnect();
    cancelAnimationFrame(frame);
  };
}
