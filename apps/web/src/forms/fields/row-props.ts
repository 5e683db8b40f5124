import type { Json } from '../model/json.ts';
import type { FieldDescription } from '../schema-source.ts';

/**
 * All that one row depends on. Only texts, flags and objects that stay the same while their part of the document does: a change
 * elsewhere renders no row again.
 */
export interface RowProps {
  readonly field: FieldDescription;
  readonly value: Json | undefined;
  /** Path of the value. */
  readonly at: string;
  /** Path of the message, list or map that holds it. */
  readonly parentAt: string;
  readonly slot?: string | undefined;
  /** Below something sensitive. */
  readonly secret?: boolean | undefined;
  /** Instead of the field's name. */
  readonly label?: string | undefined;
  readonly codeLabel?: boolean | undefined;
  /** Of a list's item. */
  readonly index?: number | undefined;
  readonly count?: number | undefined;
  /** Of a map's value. */
  readonly mapKey?: string | undefined;
  /** The typed_config of a message that a reference may replace as a whole. */
  readonly holder?: boolean | undefined;
  /** How the address of the field's paragraph in Envoy's documentation begins. */
  readonly docs?: string | undefined;
}

/** All that the fields of one message depend on. */
export interface MessageFieldsProps {
  readonly type: string;
  readonly value: Json | undefined;
  readonly at: string;
  /** Of the place where the message stands: what its typed_config may carry. */
  readonly slot?: string | undefined;
  readonly secret?: boolean | undefined;
  /** A field that is not shown: it is given elsewhere. */
  readonly hidden?: string | undefined;
}

/** Belongs to a list or a map: the whole of it is removed, not a field of a message. */
export function isElement({ index, mapKey }: RowProps): boolean {
  return index !== undefined || mapKey !== undefined;
}
