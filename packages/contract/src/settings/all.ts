import * as features from '../features.ts';
import type { SettingsType } from './define.ts';

/** Every kind of settings document: what the features export under a name that ends in `_SETTINGS`. */
export const SETTINGS: readonly SettingsType[] = Object.entries(features).flatMap(([name, value]) =>
  name.endsWith('_SETTINGS') ? [value as SettingsType] : [],
);
