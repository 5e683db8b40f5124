import { failSetting, type GENERAL_SETTINGS } from '@flotilla/contract';
import type { SettingGuard } from '../settings/index.ts';
import { countBoundToPasskeys } from './store.ts';

/**
 * Passkeys belong to the name of the installation: with another one they are of no use, and who has no codes is locked
 * out. Whoever moves it says that this is meant. `fallback`: where people open it where the settings say nothing.
 */
export function createMoveGuard(fallback: string | undefined): SettingGuard<typeof GENERAL_SETTINGS.schema> {
  return async (tx, { before, after }) => {
    const [from, to] = [hostOf(before.public_url ?? fallback), hostOf(after.public_url ?? fallback)];
    if (from === undefined || from === to) return undefined;
    const people = await countBoundToPasskeys(tx);
    if (people === 0) return undefined;
    return {
      confirm: people,
      question: failSetting('setting.locks_out', { people, host: from }, { extra: { people, host: from } }),
      told: { locked_out: people, passkeys_of: from },
    };
  };
}

function hostOf(address: string | undefined): string | undefined {
  return address === undefined ? undefined : URL.parse(address)?.hostname;
}
