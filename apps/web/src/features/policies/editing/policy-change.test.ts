import { expect, it } from 'vitest';
import { toPolicyChange } from './policy-change.ts';

const text = (mode: string) => `# A comment.\nspec:\n  domains:\n    - hosts: [a.example]\n      mode: ${mode}\n`;

it('the change of a policy lists the changed fields of its text', () => {
  const [before, after] = [text('block'), text('detect')];
  const { diff, text: shown } = toPolicyChange({
    before,
    after,
    beforeLabel: 'Revision 1',
    diff: [
      { path: 'text', change: 'changed', before, after },
      { path: 'description', change: 'added', after: 'x' },
    ],
  });
  expect(diff.map(({ path }) => path)).toEqual(['spec.domains[0].mode', 'description']);
  expect(shown).toMatchObject({ before, after, language: 'yaml' });
});

it('a new policy lists its fields and its description, without the text as one value', () => {
  const after = text('block');
  const { diff } = toPolicyChange({
    before: '',
    after,
    beforeLabel: 'Nothing',
    diff: [{ path: '', change: 'added', after: { text: after, description: 'x', files: [] } }],
  });
  expect(diff.map(({ path, change }) => `${change} ${path}`)).toEqual(['added spec', 'added description']);
});

it('a changed comment changes no field', () => {
  const { diff } = toPolicyChange({
    before: text('block'),
    after: `${text('block')}# more\n`,
    beforeLabel: '',
    diff: [],
  });
  expect(diff).toEqual([]);
});

it('a text with more than 100 aliases lists its changed fields', () => {
  const aliased = (mode: string) => `x: &base [a]\nspec:\n  mode: ${mode}\n  hosts:\n${'    - *base\n'.repeat(150)}`;
  const { diff } = toPolicyChange({ before: aliased('block'), after: aliased('detect'), beforeLabel: '', diff: [] });
  expect(diff.map(({ path }) => path)).toEqual(['spec.mode']);
});

it.each(['a: [', 'a: *missing', `a: &a [x, x]\nb: &b [*a, *a]\nc: [${'*b, '.repeat(2000)}]`])(
  'the fields of an unreadable text are not listed, and the rest is',
  (before) => {
    const diff = [{ path: 'description', change: 'added', after: 'x' }] as const;
    const change = toPolicyChange({ before, after: text('block'), beforeLabel: '', diff });
    expect(change.diff).toEqual(diff);
    expect(change.text).toMatchObject({ before, after: text('block') });
  },
);
