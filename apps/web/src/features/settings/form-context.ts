import { createContext, useContext } from 'react';
import type { Secrets } from './values.ts';

/** State and actions shared by all fields of a form. */
interface SettingForm {
  /** Settings kind, which selects the texts of the fields. */
  readonly kind: string;
  readonly isReadOnly: boolean;
  /** When each stored secret was set, by path. */
  readonly stored: ReadonlyMap<string, string>;
  readonly secrets: Secrets;
  /** undefined: the secret stays unchanged. */
  readonly setSecret: (path: string, secret: string | null | undefined) => void;
  readonly errorAt: (path: string) => string | undefined;
}

export const SettingFormContext = createContext<SettingForm | undefined>(undefined);

export function useSettingForm(): SettingForm {
  const form = useContext(SettingFormContext);
  if (!form) throw new Error('SettingEditor is missing');
  return form;
}
