import { failSetting, type GENERAL_SETTINGS } from '@flotilla/contract';
import type { SettingGuard } from '../../../platform/settings/index.ts';
import { countBoundToPasskeys } from './store.ts';

/**
 * Passkeys are bound to the host of the installation: on another host they do not work, and people without codes are
 * locked out. Changing the host must therefore be confirmed. `fallback` is the public URL if the settings contain none.
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
      recorded: { locked_out: people, passkeys_of: from },
    };
  };
}

function hostOf(address: string | undefined): string | undefined {
  return address === undefined ? undefined : URL.parse(address)?.hostname;
}
