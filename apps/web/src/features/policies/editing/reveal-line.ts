/**
 * Puts the cursor of the editor in `container` at the beginning of a line and brings it into view; waits for the editor to
 * be there. Returns what gives up waiting.
 */
export function revealLine(container: HTMLElement, line: number): () => void {
  const reveal = async () => {
    const element = container.querySelector<HTMLElement>('.cm-editor');
    if (!element) return false;
    const { EditorView } = await import('@codemirror/view');
    const view = EditorView.findFromDOM(element);
    if (!view) return false;
    const { from } = view.state.doc.line(Math.max(1, Math.min(line, view.state.doc.lines)));
    view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: 'center' }) });
    view.focus();
    return true;
  };
  const observer = new MutationObserver(() => {
    if (!container.querySelector('.cm-editor')) return;
    observer.disconnect();
    void reveal();
  });
  if (container.querySelector('.cm-editor')) void reveal();
  else observer.observe(container, { childList: true, subtree: true });
  return () => observer.disconnect();
}
