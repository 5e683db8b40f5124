import { useMantineColorScheme } from '@mantine/core';
import { signOut } from '../../api/index.ts';
import { sayFailed } from '../../ui/index.ts';
import { texts } from '../texts.tsx';
import type { Command } from './entries.ts';

/** Commands that the palette runs itself. */
export function useCommands(openShortcuts: () => void): Readonly<Record<Command, () => void>> {
  const { setColorScheme } = useMantineColorScheme();
  return {
    'theme-light': () => setColorScheme('light'),
    'theme-dark': () => setColorScheme('dark'),
    'theme-auto': () => setColorScheme('auto'),
    shortcuts: openShortcuts,
    'sign-out': () => void signOut().catch((error: unknown) => sayFailed(texts.profileMenu.stillSignedIn, error)),
    'open-api': () => void window.open('/api/openapi.json', '_blank', 'noopener'),
  };
}
