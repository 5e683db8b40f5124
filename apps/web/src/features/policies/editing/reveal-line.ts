import type { EditorView } from '@codemirror/view';

/**
 * Puts the cursor of the editor in `container` at the beginning of a line and brings it into view; waits for the editor to
 * be there. Returns what gives up waiting.
 */
export function revealLine(container: HTMLElement, line: number): () => void {
  return whenThere(container, (view, scrollTo) => {
    const from = startOf(view, line);
    view.dispatch({ selection: { anchor: from }, effects: scrollTo(from) });
    view.focus();
  });
}

/** Brings a line into view and nothing else: the focus stays with whoever has it. */
export function showLine(container: HTMLElement, line: number): () => void {
  return whenThere(container, (view, scrollTo) => view.dispatch({ effects: scrollTo(startOf(view, line)) }));
}

function startOf({ state: { doc } }: EditorView, line: number): number {
  return doc.line(Math.max(1, Math.min(line, doc.lines))).from;
}

type Reveal = (view: EditorView, scrollTo: (offset: number) => ReturnType<typeof EditorView.scrollIntoView>) => void;

function whenThere(container: HTMLElement, reveal: Reveal): () => void {
  const find = async () => {
    const element = container.querySelector<HTMLElement>('.cm-editor');
    if (!element) return;
    const { EditorView: Editor } = await import('@codemirror/view');
    const view = Editor.findFromDOM(element);
    if (view) reveal(view, (offset) => Editor.scrollIntoView(offset, { y: 'center' }));
  };
  const observer = new MutationObserver(() => {
    if (!container.querySelector('.cm-editor')) return;
    observer.disconnect();
    void find();
  });
  if (container.querySelector('.cm-editor')) void find();
  else observer.observe(container, { childList: true, subtree: true });
  return () => observer.disconnect();
}
