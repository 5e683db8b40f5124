import type { FieldDescription, MessageDescription } from '../../forms/schema-source.ts';
import type { Skeleton, SkeletonMember } from './skeleton.ts';

/** One thing that may be written at the cursor. */
export interface Suggestion {
  readonly label: string;
  readonly kind: 'field' | 'value' | 'type' | 'reference' | 'snippet';
  readonly detail: string | undefined;
  /** Smaller stands higher. */
  readonly rank: number;
  readonly deprecated: boolean;
  readonly field?: FieldDescription;
  readonly message?: MessageDescription;
  readonly insert:
    | { readonly kind: 'member'; readonly member: SkeletonMember }
    | { readonly kind: 'value'; readonly value: Skeleton };
}

/** A ready-made beginning of a message that people often write. */
export interface Snippet {
  /** Offered wherever a message of this type may stand. */
  readonly type: string;
  readonly label: string;
  readonly detail: string;
  readonly value: Skeleton;
}
