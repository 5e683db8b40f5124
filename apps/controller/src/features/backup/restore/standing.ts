import type { Restorable } from './content.ts';

/** How what is in the backup stands to what is here by its name. */
type Standing = { readonly is: 'new' } | { readonly is: 'same' } | { readonly is: 'other'; readonly revision: number };

export interface Judged<T> {
  readonly item: Restorable<T>;
  readonly name: string;
  readonly standing: Standing;
}

export function judge({ revision }: { readonly revision: number }, isSame: boolean): Standing {
  return isSame ? { is: 'same' } : { is: 'other', revision };
}
