import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { PaletteState } from './palette-state.ts';

let palette: PaletteState;

beforeEach(() => {
  vi.stubGlobal('window', new EventTarget());
  palette = new PaletteState();
});
afterEach(() => vi.unstubAllGlobals());

/** Presses the key and returns whether the page receives it, too. */
function press(key: string, modifiers: { readonly ctrlKey?: boolean } = {}): boolean {
  return window.dispatchEvent(Object.assign(new Event('keydown', { cancelable: true }), { key, ...modifiers }));
}

function type(text: string): void {
  for (const key of text) press(key);
}

it('an opened palette captures each key until its input has the focus, and the page receives none (screen bug 9)', () => {
  palette.open();
  type('shopx');
  expect(press('Backspace')).toBe(false);
  expect(palette.view()).toEqual({ isOpen: true, text: 'shop', isEntered: false });
  palette.release();
  expect(press('y')).toBe(true);
  expect(palette.view().text).toBe('shop');
});

it('a palette whose input is removed with its frame keeps its text and captures the keys until the next input (screen bug 9)', () => {
  palette.open();
  palette.release();
  palette.write('restart');
  palette.capture();
  type(' shop');
  press('Enter');
  palette.release();
  expect(palette.view()).toEqual({ isOpen: true, text: 'restart shop', isEntered: true });
  palette.write('restart sho');
  expect(palette.view().isEntered).toBe(false);
});

it('Escape closes a palette that has no input yet, and the page receives its keys again (screen bug 9)', () => {
  palette.open();
  type('shop');
  expect(press('Escape')).toBe(false);
  expect(palette.view()).toEqual({ isOpen: false, text: '', isEntered: false });
  expect(press('a')).toBe(true);
});

it('a closed palette captures no keys when its input is removed (screen bug 9)', () => {
  palette.open();
  palette.close();
  palette.capture();
  expect(press('a')).toBe(true);
  expect(palette.view().text).toBe('');
});

it('a palette ignores shortcuts and keys without a character (screen bug 9)', () => {
  palette.open();
  expect(press('k', { ctrlKey: true })).toBe(true);
  expect(press('Tab')).toBe(true);
  expect(palette.view().text).toBe('');
});

it('a palette notifies its listener of each change of its view (screen bug 9)', () => {
  const seen: string[] = [];
  const leave = palette.subscribe(() => seen.push(palette.view().text));
  palette.open();
  type('ab');
  leave();
  type('c');
  expect(seen).toEqual(['', 'a', 'ab']);
});
