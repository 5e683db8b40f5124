/** State of the palette for React: a new object after each change. */
export interface PaletteView {
  readonly isOpen: boolean;
  readonly text: string;
  /** Enter was pressed before the field had the focus: the first result opens as soon as it is known. */
  readonly isEntered: boolean;
}

const CLOSED: PaletteView = { isOpen: false, text: '', isEntered: false };

/**
 * Outlives the palette's field, which goes with its frame.
 *
 * closed     No key is captured. -> capturing (`open`)
 * capturing  The field does not have the focus: its code is still on the way, its frame was replaced, or the page took the
 *            focus. Each key changes the text and does not reach the page. -> typing (`release`), closed (`close`, Escape)
 * typing     The field handles its keys and reports the text by `write`. -> capturing (`capture`), closed (`close`)
 */
export class PaletteState {
  #view = CLOSED;
  readonly #listeners = new Set<() => void>();

  readonly view = (): PaletteView => this.#view;

  /** Calls the listener after each change until the returned function is called. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly open = (): void => {
    this.#change({ ...CLOSED, isOpen: true });
    this.capture();
  };

  readonly close = (): void => {
    this.release();
    this.#change(CLOSED);
  };

  readonly capture = (): void => {
    if (this.#view.isOpen) window.addEventListener('keydown', this.#hear, { capture: true });
  };

  readonly release = (): void => window.removeEventListener('keydown', this.#hear, { capture: true });

  write(text: string): void {
    this.#change({ isOpen: true, text, isEntered: false });
  }

  #change(view: PaletteView): void {
    this.#view = view;
    for (const listener of this.#listeners) listener();
  }

  readonly #hear = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const { text } = this.#view;
    if (event.key === 'Escape') this.close();
    else if (event.key === 'Enter') this.#change({ ...this.#view, isEntered: true });
    else if (event.key === 'Backspace') this.#change({ ...this.#view, text: text.slice(0, -1) });
    else if ([...event.key].length === 1) this.#change({ ...this.#view, text: text + event.key });
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
}
