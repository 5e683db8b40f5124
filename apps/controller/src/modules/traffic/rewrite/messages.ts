import type { NamedOperation, Renaming } from '@flotilla/inventory';
import type { StoredNaming } from '../collector/index.ts';

export interface ToNamer {
  readonly id: number;
  readonly operations: readonly NamedOperation[];
}

export interface FromNamer {
  readonly id: number;
  readonly renamings: readonly Renaming[];
}

export type NamerData = StoredNaming;
