import { describe, expect, it } from 'vitest';
import type { FieldDescription } from '../schema-source.ts';
import { describeField, describeMessage } from '../testing/descriptions.ts';
import { layOut } from './visible-fields.ts';

const NOTHING: ReadonlySet<string> = new Set();
const many = (count: number, rest: Partial<FieldDescription> = {}) =>
  Array.from({ length: count }, (_, index) => describeField(`field_${index}`, rest));

function show(fields: readonly FieldDescription[], object: Record<string, string> = {}, sorted = true) {
  const { entries, rest } = layOut(describeMessage('M', fields, { sorted }), object, { asked: NOTHING });
  return { shown: entries.map(({ name }) => name), rest: rest.map(({ field }) => field.name) };
}

describe('the layout of a message', () => {
  it('shows required, most used and set fields, and leaves the others to the search', () => {
    const fields = [
      ...many(8),
      describeField('needed', { required: true }),
      describeField('used', { common: true }),
      describeField('given'),
    ];
    const { shown, rest } = show(fields, { given: 'x' });
    expect(shown).toEqual(['needed', 'used', 'given']);
    expect(rest).toEqual(many(8).map(({ name }) => name));
  });

  it('recognises a set field in camelCase', () => {
    expect(show([...many(8), describeField('idle_timeout')], { idleTimeout: '1s' }).shown).toEqual(['idle_timeout']);
  });

  it('does not move a most used field when it is set', () => {
    const fields = [...many(8), describeField('a', { common: true }), describeField('b', { common: true })];
    expect(show(fields, {}).shown).toEqual(['a', 'b']);
    expect(show(fields, { b: '1' }).shown).toEqual(['a', 'b']);
  });

  it('shows small messages completely, without deprecated fields', () => {
    expect(show([...many(3), describeField('old', { deprecated: true })])).toEqual({
      shown: ['field_0', 'field_1', 'field_2'],
      rest: ['old'],
    });
  });

  it('considers all fields of a message without popularity data common only if it is small', () => {
    expect(show(many(14, { common: true }), {}, false).shown).toHaveLength(14);
    expect(show(many(15, { common: true }), {}, false)).toMatchObject({ shown: [], rest: { length: 15 } });
    expect(show(many(15, { common: true }), {}, true).shown).toHaveLength(15);
  });

  it('offers deprecated fields last, and disallowed ones only while they are set', () => {
    const fields = [
      describeField('old', { deprecated: true }),
      ...many(8),
      describeField('gone', { disallowed: true }),
    ];
    expect(show(fields).rest.at(-1)).toBe('old');
    expect(show(fields).rest).not.toContain('gone');
    expect(show(fields, { gone: 'x' }).shown).toEqual(['gone']);
  });

  describe('with a oneof', () => {
    const arms = ['prefix', 'path', 'regex'];
    const fields = [
      ...many(8),
      ...arms.map((name) => describeField(name, { oneof: 'specifier' })),
      describeField('legacy', { oneof: 'specifier', deprecated: true }),
    ];
    const oneof = { name: 'specifier', required: true, fields: [...arms, 'legacy'] };
    const layout = (object: Record<string, string>, asked = NOTHING, required = true) =>
      layOut(describeMessage('M', fields, { oneofs: [{ ...oneof, required }] }), object, { asked });

    it('shows the oneof once, with the set arm', () => {
      const { entries } = layout({ path: '/' });
      expect(entries).toMatchObject([{ kind: 'oneof', name: 'specifier', chosen: { name: 'path' } }]);
    });

    it('selects a requested arm until another is set', () => {
      expect(layout({}, new Set(['regex'])).entries).toMatchObject([{ chosen: { name: 'regex' } }]);
      expect(layout({ path: '/' }, new Set(['regex'])).entries).toMatchObject([{ chosen: { name: 'path' } }]);
    });

    it('offers a deprecated arm only while it is selected', () => {
      const names = (object: Record<string, string>) =>
        layout(object).entries.flatMap((entry) => (entry.kind === 'oneof' ? entry.arms.map(({ name }) => name) : []));
      expect(names({})).toEqual(arms);
      expect(names({ legacy: 'x' })).toEqual([...arms, 'legacy']);
    });

    it('leaves the arms of an optional oneof to the search', () => {
      const { entries, rest } = layout({}, NOTHING, false);
      expect(entries).toEqual([]);
      expect(rest.filter(({ oneof: of }) => of).map(({ field }) => field.name)).toEqual(arms);
    });
  });
});
