import { createContext, useContext } from 'react';
import type { EditPath, TextEdit } from '../../../yaml/edit-text.ts';
import type { PlacedError } from '../editing/policy-errors.ts';
import type { PolicyFile } from '../model.ts';
import type { Members } from './policy-view.ts';

/** State and actions shared by all parts of the form. */
export interface PolicyFormContext {
  readonly isReadOnly: boolean;
  /** Applies exactly these edits to the text. */
  apply(edits: readonly TextEdit[]): void;
  /** Returns errors at exactly this path. */
  errorsAt(path: EditPath): readonly PlacedError[];
  /** Returns errors at this path and inside it. */
  errorsWithin(path: EditPath): readonly PlacedError[];
  readonly defaults: Members;
  readonly files: readonly PolicyFile[];
  addFile(file: PolicyFile): void;
}

export const FormContext = createContext<PolicyFormContext | undefined>(undefined);

export function usePolicyForm(): PolicyFormContext {
  const context = useContext(FormContext);
  if (!context) throw new Error('PolicyForm is missing');
  return context;
}
