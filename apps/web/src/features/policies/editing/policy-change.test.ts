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
