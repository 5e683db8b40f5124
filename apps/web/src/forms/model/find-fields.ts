import type { MessageDescription } from '../schema-source.ts';
import { refOf, typeOfAny } from './any.ts';
import { isList, isObject, type Json, ownValue } from './json.ts';
import { isSet, keyOf, toLabel } from './names.ts';
import { joinPath } from './path.ts';
import type { Option } from './search.ts';
import { kindOf } from './well-known.ts';

/** Deep enough for what users search for (`circuit_breakers.thresholds`), and cheap enough for every keystroke. */
const UNSET_DEPTH_MAX = 3;
const FOUND_MAX = 4000;

type Peek = (type: string) => MessageDescription | undefined;

interface Place {
  readonly type: string;
  readonly value: Json | undefined;
  readonly at: string;
  readonly trail: string;
  /** Number of steps from the existing document. */
  readonly unset: number;
  readonly types: readonly string[];
}

/**
 * Lists every field of the messages in the document, and of messages a few steps further, if `peek` has them. Omits the other arms of set
 * oneofs, and unset deprecated fields.
 */
export function findFields(peek: Peek, type: string, document: Json): readonly Option[] {
  const found: Option[] = [];
  const queue: Place[] = [{ type, value: document, at: '', trail: '', unset: 0, types: [] }];
  for (let place = queue.shift(); place && found.length < FOUND_MAX; place = queue.shift()) {
    queue.push(...visit(peek, place, found));
  }
  return found;
}

function visit(peek: Peek, place: Place, found: Option[]): Place[] {
  const message = peek(place.type);
  if (!message || refOf(place.value) !== undefined) return [];
  const object = isObject(place.value) ? place.value : undefined;
  const taken = new Map(
    message.fields.filter((field) => field.oneof && isSet(field, object)).map((field) => [field.oneof, field.name]),
  );
  const inner: Place[] = [];
  for (const field of message.fields) {
    const set = isSet(field, object);
    if (!set && (field.deprecated || field.disallowed)) continue;
    const holder = field.oneof ? taken.get(field.oneof) : undefined;
    if (holder !== undefined && holder !== field.name) continue;
    const key = keyOf(field.name, object);
    const at = joinPath(place.at, key);
    const label = toLabel(field.name);
    const group = place.trail === '' ? undefined : place.trail;
    // Users search more often for existing fields than for new ones.
    found.push({ id: at, label, code: at, hint: field.hint, group, boost: set ? 2 : -place.unset });
    const value = object && set ? ownValue(object, key) : undefined;
    const trail = place.trail === '' ? label : `${place.trail} › ${label}`;
    const kind = kindOf(field.value);
    const step = (child: Json | undefined, childAt: string, childTrail: string): Place[] => {
      const type = kind.kind === 'any' ? typeOfAny(child) : kind.kind === 'message' ? kind.type : undefined;
      const unset = child === undefined ? place.unset + 1 : 0;
      if (type === undefined || unset > UNSET_DEPTH_MAX) return [];
      // Recursion into a message of its own type follows only the document.
      if (child === undefined && (type === place.type || place.types.includes(type))) return [];
      return [{ type, value: child, at: childAt, trail: childTrail, unset, types: [...place.types, place.type] }];
    };
    if (field.shape === 'singular') inner.push(...step(value, at, trail));
    else if (field.shape === 'list') {
      const items = isList(value) && value.length > 0 ? value : [undefined];
      for (const [index, item] of items.entries()) {
        const numbered = items.length > 1 ? `${trail} ${index + 1}` : trail;
        inner.push(...step(item, joinPath(at, index), numbered));
      }
    } else if (isObject(value)) {
      for (const [name, item] of Object.entries(value))
        inner.push(...step(item, joinPath(at, name), `${trail} ${name}`));
    }
  }
  return inner;
}

/** Message types that a deeper search would have to load. */
export function listUnloadedTypes(peek: Peek, root: string, max: number): readonly string[] {
  const wanted = new Set<string>();
  const seen = new Set<string>([root]);
  let level = [root];
  for (let depth = 0; depth < UNSET_DEPTH_MAX && wanted.size < max; depth += 1) {
    const next: string[] = [];
    for (const type of level) {
      for (const field of peek(type)?.fields ?? []) {
        const kind = kindOf(field.value);
        if (kind.kind !== 'message' || seen.has(kind.type) || field.deprecated || wanted.size >= max) continue;
        seen.add(kind.type);
        next.push(kind.type);
        if (!peek(kind.type)) wanted.add(kind.type);
      }
    }
    level = next;
  }
  return [...wanted];
}
