import { expect, it } from 'vitest';
import { INSTALLATION_SECTIONS, PROJECT_SECTIONS, toAreas } from './sections.ts';

it.each([
  ['the installation', INSTALLATION_SECTIONS],
  ['a project', PROJECT_SECTIONS],
])('every page of the settings of %s stands in one area, and each area has a page', (_, sections) => {
  const areas = toAreas(sections);
  const shown = areas.flatMap((area) => area.sections.map(({ id }) => id));
  expect(shown.toSorted()).toEqual(sections.map(({ id }) => id).toSorted());
  expect(areas.every((area) => area.sections.length > 0)).toBe(true);
  expect(areas.map(({ label }) => label)).not.toContain('Others');
});
