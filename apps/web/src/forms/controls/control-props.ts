import type { Json } from '../model/json.ts';
import type { FieldDescription } from '../schema-source.ts';

export interface ControlProps {
  readonly id: string;
  readonly field: FieldDescription;
  readonly value: Json | undefined;
  /** Names the control where no label is in sight. */
  readonly label?: string | undefined;
  readonly describedBy: string | undefined;
  readonly invalid: boolean;
  readonly readOnly: boolean;
  /** Not to be shown in clear. */
  readonly secret?: boolean | undefined;
  /** Being there means something even when it is empty: an item, an arm of a oneof, a wrapper. */
  readonly keepsEmpty: boolean;
  /** Undefined takes the value out. `typing`: more of it follows. */
  readonly onCommit: (value: Json | undefined, typing: boolean) => void;
  readonly onEnter?: (() => void) | undefined;
}
