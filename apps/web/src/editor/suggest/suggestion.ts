import type { FieldDescription, MessageDescription } from '../../forms/schema-source.ts';
import type { Skeleton, SkeletonMember } from './skeleton.ts';

/** One completion at the cursor. */
export interface Suggestion {
  readonly label: string;
  readonly kind: 'field' | 'value' | 'type' | 'reference' | 'snippet';
  readonly detail: string | undefined;
  /** Lower ranks come first. */
  readonly rank: number;
  readonly deprecated: boolean;
  readonly field?: FieldDescription;
  readonly message?: MessageDescription;
  readonly insert:
    | { readonly kind: 'member'; readonly member: SkeletonMember }
    | { readonly kind: 'value'; readonly value: Skeleton };
}

/** A template for the beginning of a message. */
export interface Snippet {
  /** The snippet is offered wherever a message of this type is allowed. */
  readonly type: string;
  readonly label: string;
  readonly detail: string;
  readonly value: Skeleton;
}
