import type { SettingsPage } from '../../app/screens.ts';
import { ALL_SCREENS } from '../all-screens.ts';
import { texts } from '../texts.tsx';

const PAGES = ALL_SCREENS.flatMap(({ settings = [] }) => settings);

export const INSTALLATION_SECTIONS: readonly SettingsPage[] = PAGES.filter(({ scope }) => scope === 'installation');
export const PROJECT_SECTIONS: readonly SettingsPage[] = PAGES.filter(({ scope }) => scope === 'project');

/** In display order. The first one has no heading. */
const AREAS: readonly (readonly [name: SettingsPage['area'], label: string | undefined])[] = [
  ['general', undefined],
  ['sign_in', texts.settingsAreas.signingIn],
  ['security', texts.settingsAreas.security],
  ['connections', texts.settingsAreas.connections],
  ['operations', texts.settingsAreas.operation],
];

export interface SettingsArea {
  readonly label: string | undefined;
  readonly sections: readonly SettingsPage[];
}

/** The pages in groups, each in the order of its labels. */
export function toAreas(sections: readonly SettingsPage[]): readonly SettingsArea[] {
  return AREAS.map(([name, label]) => ({
    label,
    sections: sections.filter(({ area }) => area === name).toSorted((a, b) => a.label.localeCompare(b.label, 'en')),
  })).filter((area) => area.sections.length > 0);
}
