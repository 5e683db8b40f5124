import { beforeEach, describe, expect, it } from 'vitest';
import { FormState } from './form-state.ts';
import type { Json } from './json.ts';

const START: Json = { name: 'a', list: [{ n: 0 }, { n: 1 }, { n: 2 }], map: { x: { deep: 1 } }, kept: { far: true } };

describe('an open form', () => {
  let time = 0;
  let given: Json[] = [];
  let state = new FormState(START);

  beforeEach(() => {
    time = 0;
    given = [];
    state = new FormState(START, () => time);
    state.bind(START, (document) => given.push(document));
  });

  const type = (path: string, text: string) => {
    for (let end = 1; end <= text.length; end += 1) {
      state.set(path, text.slice(0, end), { typing: true });
      time += 100;
    }
  };

  it('returns a new document for every change, and the same one if nothing changes', () => {
    state.set('name', 'b');
    state.set('name', 'b');
    state.remove('none');
    expect(given).toEqual([{ ...(START as object), name: 'b' }]);
  });

  it('applies changes before the next render on top of each other', () => {
    state.set('name', 'b');
    state.set('kept.far', false);
    expect(given.at(-1)).toMatchObject({ name: 'b', kept: { far: false } });
  });

  it('undoes a word, not a letter', () => {
    type('name', 'hello');
    expect(state.get('name')).toBe('hello');
    state.undo();
    expect(state.document).toEqual(START);
    state.redo();
    expect(state.get('name')).toBe('hello');
  });

  it('separates undo steps by field and by pauses', () => {
    type('name', 'one');
    type('kept.far', 'two');
    state.undo();
    expect(state.get('name')).toBe('one');
    expect(state.get('kept.far')).toBe(true);
    time += 5000;
    type('name', 'three');
    state.undo();
    expect(state.get('name')).toBe('one');
  });

  it('restores a removed field on undo', () => {
    state.remove('kept');
    expect(state.get('kept')).toBeUndefined();
    state.undo();
    expect(state.get('kept')).toEqual({ far: true });
  });

  it('can undo the replacement by a document from its owner', () => {
    state.bind({ name: 'other' }, () => {});
    expect(state.get('name')).toBe('other');
    state.undo();
    expect(state.document).toEqual(START);
  });

  it('keeps the typed text while its owner still passes the previous document', () => {
    state.set('name', 'b');
    state.bind(START, (document) => given.push(document));
    expect(state.get('name')).toBe('b');
    state.bind(state.document, () => {});
    state.bind(START, () => {});
    expect(state.get('name')).toBe('a');
  });

  it('adds no undo step for its own document', () => {
    state.set('name', 'b');
    state.bind(state.document, () => {});
    state.undo();
    expect(state.document).toEqual(START);
    expect(state.undo()).toBe(false);
  });

  it('does not change other values on undo', () => {
    const before = state.get('list[2]');
    state.set('list[0].n', 7);
    expect(state.get('list[2]')).toBe(before);
  });

  describe('with a list', () => {
    beforeEach(() => {
      state.setOpen('list[1]', true);
      state.ask('list[1].inner', 'field');
    });

    const open = () => [0, 1, 2, 3].filter((index) => state.isOpen(`list[${index}]`));

    it('keeps an item open when another is inserted before it', () => {
      state.insertItem('list', 0, { n: 9 });
      expect(state.get('list[0].n')).toBe(9);
      expect(open()).toEqual([2]);
      expect(state.asked('list[2].inner').has('field')).toBe(true);
    });

    it('keeps an item open when it moves, and when others move around it', () => {
      state.moveItem('list', 1, 0);
      expect(state.get('list')).toEqual([{ n: 1 }, { n: 0 }, { n: 2 }]);
      expect(open()).toEqual([0]);
      state.moveItem('list', 2, 0);
      expect(open()).toEqual([1]);
    });

    it('discards the open state of a deleted item', () => {
      state.removeItem('list', 1);
      expect(state.get('list')).toEqual([{ n: 0 }, { n: 2 }]);
      expect(open()).toEqual([]);
    });

    it('moves no item beyond the ends', () => {
      state.moveItem('list', 2, 3);
      state.moveItem('list', 0, -1);
      expect(given).toEqual([]);
    });
  });

  it('keeps a pair of a map open under its new key', () => {
    state.setOpen('map.x', true);
    state.rename('map', 'x', 'odd key');
    expect(state.get('map')).toEqual({ 'odd key': { deep: 1 } });
    expect(state.isOpen('map["odd key"]')).toBe(true);
  });

  describe('with a oneof', () => {
    it('restores the value of an arm', () => {
      state.switchArm('', { field: 'name', key: 'name' }, { field: 'rds', fallback: {} });
      expect(state.get('')).not.toHaveProperty('name');
      expect(state.get('rds')).toEqual({});
      state.set('rds.route', 'r');
      state.switchArm('', { field: 'rds', key: 'rds' }, { field: 'name', fallback: undefined });
      expect(state.get('name')).toBe('a');
      state.switchArm('', { field: 'name', key: 'name' }, { field: 'rds', fallback: {} });
      expect(state.get('rds')).toEqual({ route: 'r' });
    });

    it('shows an arm without an initial value', () => {
      state.switchArm('', undefined, { field: 'path', fallback: undefined });
      expect(state.asked('').has('path')).toBe(true);
      expect(given).toEqual([]);
    });

    it('undoes a change of the arm in one step', () => {
      state.switchArm('', { field: 'name', key: 'name' }, { field: 'rds', fallback: {} });
      state.undo();
      expect(state.document).toEqual(START);
    });
  });

  describe('with a requested focus', () => {
    it('opens everything above the path and shows its fields', () => {
      state.requestFocus('list[1].inner["odd key"].field');
      for (const path of ['list', 'list[1]', 'list[1].inner', 'list[1].inner["odd key"]']) {
        expect(state.isOpen(path)).toBe(true);
      }
      expect(state.asked('list[1].inner["odd key"]').has('field')).toBe(true);
      expect(state.asked('').has('list')).toBe(true);
    });

    it('focuses the nearest field first and the requested one at the end, once', () => {
      state.requestFocus('list[1].n');
      expect(state.claimFocus('list')).toBe(true);
      expect(state.claimFocus('list')).toBe(false);
      expect(state.claimFocus('list[10]')).toBe(false);
      expect(state.claimFocus('list[1].n')).toBe(true);
      expect(state.claimFocus('list[1].n')).toBe(false);
      expect(state.isFocusWithin('list')).toBe(false);
    });

    it('returns the index of the list item with the requested path', () => {
      state.requestFocus('list[2].n');
      expect(state.focusIndex('list')).toBe(2);
      expect(state.focusIndex('map')).toBeUndefined();
    });

    it('cancels the request when the user focuses something else', () => {
      state.requestFocus('list[1].n');
      state.endFocus();
      expect(state.claimFocus('list[1].n')).toBe(false);
    });
  });

  it('notifies its listeners of changes until they unsubscribe', () => {
    let notified = 0;
    const leave = state.subscribe(() => {
      notified += 1;
    });
    state.setOpen('list', true);
    state.setOpen('list', true);
    state.set('name', 'b');
    leave();
    state.set('name', 'c');
    expect(notified).toBe(2);
  });
});
