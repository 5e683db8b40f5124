import type { Json } from '../model/json.ts';
import type { FieldDescription } from '../schema-source.ts';

export interface ControlProps {
  readonly id: string;
  readonly field: FieldDescription;
  readonly value: Json | undefined;
  /** Accessible name if there is no visible label. */
  readonly label?: string | undefined;
  readonly describedBy: string | undefined;
  readonly invalid: boolean;
  readonly readOnly: boolean;
  /** Whether the value must be masked. */
  readonly secret?: boolean | undefined;
  /** The value has a meaning even when it is empty: an item, an arm of a oneof, a wrapper. */
  readonly keepsEmpty: boolean;
  /** Receives the new value; undefined removes it. `typing`: the user is still typing. */
  readonly onCommit: (value: Json | undefined, typing: boolean) => void;
  readonly onEnter?: (() => void) | undefined;
}
