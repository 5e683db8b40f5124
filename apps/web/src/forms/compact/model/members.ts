import { removeAt, setAt } from '../../model/document.ts';
import { isObject, type Json, type JsonObject, ownValue } from '../../model/json.ts';
import { keyOf, toJsonName } from '../../model/names.ts';

/** A problem of one input of a row, as a sentence. */
export interface CellProblem<Cell extends string> {
  readonly cell: Cell;
  readonly message: string;
}

/** Returns the value of the fields inside each other, in either spelling; undefined if it is not set. */
export function readMember(value: Json | undefined, fields: readonly string[]): Json | undefined {
  let at = value ?? undefined;
  for (const field of fields) at = isObject(at) ? (ownValue(at, keyOf(field, at)) ?? undefined) : undefined;
  return at;
}

/** Sets the value in the spelling of the document and keeps everything else; undefined removes it. */
export function writeMember(object: JsonObject, fields: readonly string[], value: Json | undefined): JsonObject {
  const path: string[] = [];
  let at: Json | undefined = object;
  for (const field of fields) {
    const key: string = keyOf(field, isObject(at) ? at : undefined);
    path.push(key);
    at = isObject(at) ? ownValue(at, key) : undefined;
  }
  return (value === undefined ? removeAt(object, path) : setAt(object, path, value)) as JsonObject;
}

/** Lists the keys with a value other than the fields. */
export function listOtherKeys(value: Json | undefined, fields: readonly string[]): string[] {
  if (!isObject(value)) return [];
  const known = new Set(fields.flatMap((field) => [field, toJsonName(field)]));
  return Object.keys(value).filter((key) => !known.has(key) && ownValue(value, key) !== null);
}

/** Whether the fields inside each other are objects as far as they are set. */
export function hasObjects(value: Json | undefined, fields: readonly string[]): boolean {
  return fields.every((_, index) => {
    const inner = readMember(value, fields.slice(0, index + 1));
    return inner === undefined || isObject(inner);
  });
}
