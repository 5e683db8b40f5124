import type { DescField, DescMessage } from '@bufbuild/protobuf';
import type { EnvoyApi } from '../api.ts';
import { listExtensions } from './extensions.ts';
import { ANY_SLOT, namedSlot } from './slots.ts';

const ANY = 'google.protobuf.Any';

/** Categories that hold something, by version's API. */
const filled = new WeakMap<EnvoyApi, Map<string, boolean>>();

/**
 * The category of extensions that a field takes: of an Any, of a map of Any, and of messages that hold one as `typed_config`.
 * `*` where nobody knows better or the version has none of the category; undefined for all other fields.
 */
export function slotOf(api: EnvoyApi, message: string, field: string): string | undefined {
  const desc = api.registry.getMessage(message)?.fields.find(({ name }) => name === field);
  const value = desc && valueMessage(desc);
  if (!value) return undefined;
  if (value.typeName === ANY) return filledSlot(api, namedSlot(message, field));
  if (!value.fields.some((inner) => inner.name === 'typed_config' && valueMessage(inner)?.typeName === ANY))
    return undefined;
  return filledSlot(api, namedSlot(message, field) ?? namedSlot(value.typeName, 'typed_config'));
}

function filledSlot(api: EnvoyApi, slot: string | undefined): string {
  if (slot === undefined) return ANY_SLOT;
  const known = filled.get(api) ?? new Map<string, boolean>();
  filled.set(api, known);
  const isFilled = known.get(slot) ?? listExtensions(api, slot).length > 0;
  known.set(slot, isFilled);
  return isFilled ? slot : ANY_SLOT;
}

function valueMessage(field: DescField): DescMessage | undefined {
  if (field.fieldKind === 'message') return field.message;
  if (field.fieldKind === 'list') return field.listKind === 'message' ? field.message : undefined;
  return field.fieldKind === 'map' && field.mapKind === 'message' ? field.message : undefined;
}
