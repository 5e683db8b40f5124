import { describe, expect, it } from 'vitest';
import { KeySequence, takesLetters } from './key-sequence.ts';

function press(keys: string, stepMs = 100): (string | undefined)[] {
  const sequence = new KeySequence();
  return [...keys].map((key, index) => sequence.press(key, index * stepMs));
}

describe('a key sequence', () => {
  it('returns single keys at once', () => {
    expect(press('/?x')).toEqual(['/', '?', 'x']);
  });

  it('returns g and the next key as one', () => {
    expect(press('gs?')).toEqual([undefined, 'g s', '?']);
    expect(press('gg')).toEqual([undefined, 'g g']);
  });

  it('forgets a g that no key follows in time', () => {
    expect(press('gs', 2000)).toEqual([undefined, 's']);
  });
});

describe('an element takes letters', () => {
  const element = (tagName: string, { type, within }: { type?: string; within?: string } = {}) => ({
    tagName,
    isContentEditable: false,
    ...(type !== undefined && { type }),
    closest: (selector: string) => (within !== undefined && selector.includes(within) ? {} : null),
  });

  it.each(['INPUT', 'TEXTAREA', 'SELECT'])('if it is a field: %s', (tagName) => {
    expect(takesLetters(element(tagName))).toBe(true);
  });

  it('if it is inside a dialog, a menu or an editor', () => {
    for (const within of ['dialog', 'menu', 'listbox', '.cm-editor'])
      expect(takesLetters(element('BUTTON', { within }))).toBe(true);
  });

  it('unless it is a control without text', () => {
    expect(takesLetters(element('INPUT', { type: 'checkbox' }))).toBe(false);
    expect(takesLetters(element('A'))).toBe(false);
    expect(takesLetters(element('BODY'))).toBe(false);
  });
});
