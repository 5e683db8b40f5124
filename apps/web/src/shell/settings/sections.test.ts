import { expect, it } from 'vitest';
import { INSTALLATION_SECTIONS, PROJECT_SECTIONS, toAreas } from './sections.ts';

it.each([
  ['the installation', INSTALLATION_SECTIONS],
  ['a project', PROJECT_SECTIONS],
])('every settings page of %s has an address of its own, in exactly one area', (_, sections) => {
  const shown = toAreas(sections).flatMap((area) => area.sections.map(({ id }) => id));
  expect(shown.toSorted()).toEqual(sections.map(({ id }) => id).toSorted());
  expect(new Set(shown).size).toBe(shown.length);
});

it('the settings of the installation begin with the general ones, without a heading', () => {
  const [first] = toAreas(INSTALLATION_SECTIONS);
  expect(first).toMatchObject({ label: undefined, sections: [{ id: 'general' }] });
});
