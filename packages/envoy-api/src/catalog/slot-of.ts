import type { DescField, DescMessage } from '@bufbuild/protobuf';
import type { EnvoyApi } from '../api.ts';
import { listExtensions } from './extensions.ts';
import { ANY_SLOT, namedSlot } from './slots.ts';

const ANY = 'google.protobuf.Any';

/** Non-empty categories, by the API of a version. */
const filled = new WeakMap<EnvoyApi, Map<string, boolean>>();

/**
 * The category of extensions that a field accepts: for an Any, a map of Any, and messages with a `typed_config`. `*` if
 * it is unknown or the version has no extension of the category; undefined for all other fields.
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
