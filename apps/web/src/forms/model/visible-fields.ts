import type { FieldDescription, MessageDescription, OneofDescription } from '../schema-source.ts';
import type { JsonObject } from './json.ts';
import { isSet } from './names.ts';

/** A row of a message, top to bottom. A oneof is at the position of its first field. */
export type Entry =
  | { readonly kind: 'field'; readonly name: string; readonly field: FieldDescription }
  | {
      readonly kind: 'oneof';
      readonly name: string;
      readonly oneof: OneofDescription;
      /** Options; a disallowed or deprecated arm only while it is set. */
      readonly arms: readonly FieldDescription[];
      readonly chosen: FieldDescription | undefined;
    };

export interface Layout {
  readonly entries: readonly Entry[];
  /** Hidden fields and oneofs, in the order of the file, deprecated last. */
  readonly rest: readonly RestField[];
}

export interface RestField {
  readonly field: FieldDescription;
  readonly oneof: OneofDescription | undefined;
}

/** Small messages are shown completely: a search among three fields helps nobody. */
const SHOW_ALL_MAX = 6;
/** All fields of a message without popularity data count as common. Up to this many fit in a form. */
const UNSORTED_MAX = 14;

/**
 * Lays out required, most used and set fields, and those in `asked`. Required and most used fields come first, each group in the order of
 * the file, so that setting a field does not move it.
 */
export function layOut(
  message: MessageDescription,
  object: JsonObject | undefined,
  options: { readonly asked: ReadonlySet<string>; readonly hidden?: ReadonlySet<string> },
): Layout {
  const hidden = options.hidden ?? new Set<string>();
  const usable = message.fields.filter((field) => !hidden.has(field.name));
  const current = usable.filter((field) => !isDiscouraged(field)).length;
  const small = current <= SHOW_ALL_MAX;
  const trusted = message.sorted || current <= UNSORTED_MAX;
  const isCommon = (field: FieldDescription) => field.required || (trusted && field.common && !isDiscouraged(field));
  const first: Entry[] = [];
  const later: Entry[] = [];
  const rest: RestField[] = [];
  const seen = new Set<string>();

  for (const field of usable) {
    const oneof = message.oneofs.find(({ name }) => name === field.oneof);
    const inUse = isSet(field, object) || options.asked.has(field.name);
    if (!oneof || oneof.fields.length < 2) {
      const common = isCommon(field) || (oneof?.required ?? false);
      const entry: Entry = { kind: 'field', name: field.name, field };
      if (common) first.push(entry);
      else if (inUse || (small && !isDiscouraged(field))) later.push(entry);
      else if (!field.disallowed) rest.push({ field, oneof: undefined });
      continue;
    }
    if (seen.has(oneof.name)) continue;
    seen.add(oneof.name);
    const all = usable.filter((other) => other.oneof === oneof.name);
    const chosen = all.find((arm) => isSet(arm, object)) ?? all.find((arm) => options.asked.has(arm.name));
    const arms = all.filter((arm) => arm === chosen || !isDiscouraged(arm));
    if (arms.length === 0) continue;
    const entry: Entry = { kind: 'oneof', name: oneof.name, oneof, arms, chosen };
    if (oneof.required || arms.some(isCommon)) first.push(entry);
    else if (chosen || small) later.push(entry);
    else for (const arm of arms) rest.push({ field: arm, oneof });
  }
  rest.sort((a, b) => Number(a.field.deprecated) - Number(b.field.deprecated));
  return { entries: [...first, ...later], rest };
}

function isDiscouraged(field: FieldDescription): boolean {
  return field.deprecated || field.disallowed;
}
