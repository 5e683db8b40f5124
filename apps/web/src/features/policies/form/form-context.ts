import { createContext, useContext } from 'react';
import type { PlacedError } from '../editing/policy-errors.ts';
import type { PolicyFile } from '../model.ts';
import type { EditPath, TextEdit } from '../yaml/edit-text.ts';
import type { Members } from './policy-view.ts';

/** What every part of the form may do and know. */
export interface PolicyFormContext {
  readonly isReadOnly: boolean;
  /** Changes the text, and nothing in it but what is told. */
  apply(edits: readonly TextEdit[]): void;
  /** What the filter says of exactly this place. */
  errorsAt(path: EditPath): readonly PlacedError[];
  /** What it says of this place and all within it. */
  errorsWithin(path: EditPath): readonly PlacedError[];
  readonly defaults: Members;
  readonly files: readonly PolicyFile[];
  addFile(file: PolicyFile): void;
}

export const FormContext = createContext<PolicyFormContext | undefined>(undefined);

export function usePolicyForm(): PolicyFormContext {
  const context = useContext(FormContext);
  if (!context) throw new Error('used outside the form');
  return context;
}
