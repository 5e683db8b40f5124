import { listFleetScreens } from './fleet-screens.ts';
import type { Places } from './furnish.ts';
import { listProjectScreens } from './project-screens.ts';
import type { Screen } from './screen.ts';
import { listSettingsScreens } from './settings-screens.ts';

/** Every screen with its tabs, drawers and dialogs. */
export function listScreens(places: Places): readonly Screen[] {
  return [...listFleetScreens(places), ...listProjectScreens(places), ...listSettingsScreens()];
}

/** The most used screens, as a sample of all. */
export const MAIN_SCREENS: readonly string[] = [
  'overview',
  'clients',
  'client-overview',
  'services',
  'service-overview',
  'service-nodes',
  'list-clusters',
  'cluster-form',
  'policies',
  'policy',
  'audit',
  'users',
  'jobs',
  'profile',
];
