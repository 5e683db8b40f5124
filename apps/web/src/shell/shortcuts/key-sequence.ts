/** Time within which the second key of a sequence such as `g s` has to follow. */
const SEQUENCE_MS = 1500;

/** Recognizes `/`, `?` and sequences of `g` and a letter from single key presses. */
export class KeySequence {
  #startedAt: number | undefined;

  /** Returns what the keys so far mean: a key, a sequence such as `g s`, or undefined while one is incomplete. */
  press(key: string, nowMs: number): string | undefined {
    const isSecond = this.#startedAt !== undefined && nowMs - this.#startedAt <= SEQUENCE_MS;
    this.#startedAt = undefined;
    if (isSecond) return `g ${key}`;
    if (key !== 'g') return key;
    this.#startedAt = nowMs;
    return undefined;
  }
}

interface Target {
  readonly tagName: string;
  readonly isContentEditable: boolean;
  readonly type?: string;
  closest(selector: string): unknown;
}

/** Inputs that take no text: a letter typed in them means nothing. */
const WITHOUT_TEXT = new Set(['checkbox', 'radio', 'button', 'submit', 'reset', 'file', 'range', 'color']);

/** Whether the element uses letters itself: an input, an editor, a menu, or anything in a dialog. */
export function takesLetters(target: Target): boolean {
  if (target.isContentEditable || target.closest('[role="dialog"], [role="menu"], [role="listbox"], .cm-editor'))
    return true;
  if (target.tagName === 'INPUT') return !WITHOUT_TEXT.has(target.type ?? 'text');
  return target.tagName === 'TEXTAREA' || target.tagName === 'SELECT';
}
