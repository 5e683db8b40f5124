export type { SettingFollowUp } from './follow-ups.ts';
export type { SettingGuard } from './guards.ts';
export { InstallationName } from './installation-name.ts';
export { PublicAddress } from './public-address.ts';
export { type CheckedKept, checkKept, compareKept, writeKept } from './restore.ts';
export { openSettings, type Settings } from './service.ts';
export { holdStored, listStored } from './stored.ts';
export { patchSetting, tellSetting } from './write.ts';
