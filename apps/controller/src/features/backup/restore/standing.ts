import type { RECORD_CHOICES } from '@flotilla/contract';
import type { Restorable } from './content.ts';

/** How what is in the backup stands to what is here by its name. */
export type Standing =
  | { readonly is: 'new' }
  | { readonly is: 'same' }
  | { readonly is: 'other'; readonly revision: number };

export interface Judged<T> {
  readonly item: Restorable<T>;
  readonly name: string;
  /** What it would be called had nothing that it names got another name: exceptions may say that. */
  readonly before?: string;
  readonly standing: Standing;
}

export type RecordChoice = (typeof RECORD_CHOICES)[number];

/** With what is done where its name is taken. */
export interface Decided<T> extends Judged<T> {
  /** Of what differs from what is here. */
  readonly choice: RecordChoice | undefined;
  /** The name that was given for it. */
  readonly as: string | undefined;
  /** What it is called in the backup, where `name` is another one. */
  readonly was?: string;
}

export function judge({ revision }: { readonly revision: number }, isSame: boolean): Standing {
  return isSame ? { is: 'same' } : { is: 'other', revision };
}

/** There is nothing here that it takes the place of. */
export function isMade({ standing, was }: Decided<unknown>): boolean {
  return standing.is === 'new' || was !== undefined;
}

export function isWritten(one: Decided<unknown>): boolean {
  return isMade(one) || one.choice === 'replace';
}
