import type { Screens } from '../app/screens.ts';

const files = import.meta.glob<{ readonly screens: Screens }>('../features/*/screens.ts', { eager: true });

/** The screens of every feature. */
export const ALL_SCREENS: readonly Screens[] = Object.values(files).map(({ screens }) => screens);
