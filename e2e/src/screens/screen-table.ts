import { listFleetScreens } from './fleet-screens.ts';
import type { Places } from './furnish.ts';
import { listProjectScreens } from './project-screens.ts';
import type { Screen } from './screen.ts';
import { listSettingsScreens } from './settings-screens.ts';

/** Every screen with its tabs, drawers and dialogs. */
export function listScreens(places: Places): readonly Screen[] {
  return [...listFleetScreens(places), ...listProjectScreens(places), ...listSettingsScreens()];
}
