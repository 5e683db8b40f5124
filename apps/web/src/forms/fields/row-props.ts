import type { CompactEditor } from '../compact/compact-editor.ts';
import type { Json } from '../model/json.ts';
import type { FieldDescription } from '../schema-source.ts';

/**
 * All dependencies of one row: strings, flags, and objects that are stable while their part of the document is, so that changes elsewhere
 * do not render the row again.
 */
export interface RowProps {
  readonly field: FieldDescription;
  readonly value: Json | undefined;
  /** Path of the value. */
  readonly at: string;
  /** Path of the message, list or map that contains it. */
  readonly parentAt: string;
  readonly slot?: string | undefined;
  /** Whether the value is inside something sensitive. */
  readonly secret?: boolean | undefined;
  /** Replaces the field's name. */
  readonly label?: string | undefined;
  readonly codeLabel?: boolean | undefined;
  /** Index of a list item. */
  readonly index?: number | undefined;
  readonly count?: number | undefined;
  /** Key of a map value. */
  readonly mapKey?: string | undefined;
  /** The row is the typed_config of a message that a reference may replace as a whole. */
  readonly holder?: boolean | undefined;
  /** URL prefix of the field in Envoy's documentation. */
  readonly docs?: string | undefined;
  /** Short editor of the list, which people may use instead of its items. */
  readonly compact?: CompactEditor | undefined;
}

/** All dependencies of the fields of one message. */
export interface MessageFieldsProps {
  readonly type: string;
  readonly value: Json | undefined;
  readonly at: string;
  /** Slot of the message's place: what its typed_config may contain. */
  readonly slot?: string | undefined;
  readonly secret?: boolean | undefined;
  /** A hidden field, which is entered elsewhere. */
  readonly hidden?: string | undefined;
}

/** Whether the value belongs to a list or a map, so that it is removed as a whole, not as a field of a message. */
export function isElement({ index, mapKey }: RowProps): boolean {
  return index !== undefined || mapKey !== undefined;
}
