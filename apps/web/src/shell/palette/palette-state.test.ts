import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { PaletteState } from './palette-state.ts';

let palette: PaletteState;

beforeEach(() => {
  vi.stubGlobal('window', new EventTarget());
  palette = new PaletteState();
});
afterEach(() => vi.unstubAllGlobals());

/** Returns whether the page gets the key, too. */
function press(key: string, modifiers: { readonly ctrlKey?: boolean } = {}): boolean {
  return window.dispatchEvent(Object.assign(new Event('keydown', { cancelable: true }), { key, ...modifiers }));
}

function type(text: string): void {
  for (const key of text) press(key);
}

it('a palette that opens keeps each key until its field has the focus, and the page gets none (screen bug 9)', () => {
  palette.open();
  type('shopx');
  expect(press('Backspace')).toBe(false);
  expect(palette.view()).toEqual({ isOpen: true, text: 'shop', isEntered: false });
  palette.release();
  expect(press('y')).toBe(true);
  expect(palette.view().text).toBe('shop');
});

it('a palette whose field goes with its frame keeps its text and the keys until the next field (screen bug 9)', () => {
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

it('Escape closes a palette whose field is not there yet, and the page gets its keys again (screen bug 9)', () => {
  palette.open();
  type('shop');
  expect(press('Escape')).toBe(false);
  expect(palette.view()).toEqual({ isOpen: false, text: '', isEntered: false });
  expect(press('a')).toBe(true);
});

it('a palette that was closed captures nothing when its field goes (screen bug 9)', () => {
  palette.open();
  palette.close();
  palette.capture();
  expect(press('a')).toBe(true);
  expect(palette.view().text).toBe('');
});

it('a palette leaves shortcuts and keys without a character to the page (screen bug 9)', () => {
  palette.open();
  expect(press('k', { ctrlKey: true })).toBe(true);
  expect(press('Tab')).toBe(true);
  expect(palette.view().text).toBe('');
});

it('a palette reports each change of what it shows (screen bug 9)', () => {
  const seen: string[] = [];
  const leave = palette.subscribe(() => seen.push(palette.view().text));
  palette.open();
  type('ab');
  leave();
  type('c');
  expect(seen).toEqual(['', 'a', 'ab']);
});
