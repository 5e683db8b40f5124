import { createContext, useContext } from 'react';
import type { Secrets } from './values.ts';

/** What every field of a form reads. */
interface SettingForm {
  /** Of the kind: its fields have their words by it. */
  readonly kind: string;
  readonly isReadOnly: boolean;
  /** When each secret that is set was set, by path. */
  readonly stored: ReadonlyMap<string, string>;
  readonly secrets: Secrets;
  /** Undefined: as it is stored. */
  readonly setSecret: (path: string, secret: string | null | undefined) => void;
  readonly errorAt: (path: string) => string | undefined;
}

export const SettingFormContext = createContext<SettingForm | undefined>(undefined);

export function useSettingForm(): SettingForm {
  const form = useContext(SettingFormContext);
  if (!form) throw new Error('used outside a form of settings');
  return form;
}
