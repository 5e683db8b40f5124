import type { JsonValue } from '@bufbuild/protobuf';
import type { WellKnown } from '../schema/plan.ts';
import type { Findings } from './findings.ts';
import { MAX_DEPTH } from './limits.ts';
import { isJsonObject } from './object.ts';
import type { PathNode } from './path.ts';
import { parseDuration, parseFieldMask, parseTimestamp } from './well-known.ts';

/** On the wire an object costs three messages (Value, Struct, map entry), a list two (Value, ListValue). */
const OBJECT_DEPTH = 3;
const LIST_DEPTH = 2;

/** The content of Struct, Value and ListValue: any JSON that text and numbers of protobuf can hold, not too deep. */
export function checkJsonDepth(json: JsonValue, path: PathNode | undefined, depth: number, findings: Findings): void {
  if (findings.full) return;
  if (depth > MAX_DEPTH) {
    findings.error(path, 'too_deep', `is nested deeper than ${MAX_DEPTH} messages`);
    return;
  }
  if (Array.isArray(json)) {
    for (const [key, item] of json.entries()) checkJsonDepth(item, { parent: path, key }, depth + LIST_DEPTH, findings);
  } else if (isJsonObject(json)) {
    for (const key of Object.keys(json)) {
      const at: PathNode = { parent: path, key };
      if (!key.isWellFormed()) findings.error(at, 'type', 'the key must be valid Unicode');
      checkJsonDepth(json[key] as JsonValue, at, depth + OBJECT_DEPTH, findings);
    }
  } else if (typeof json === 'number') {
    if (!Number.isFinite(json)) findings.error(path, 'type', 'must be a finite number');
  } else if (typeof json === 'string') {
    if (!json.isWellFormed()) findings.error(path, 'type', 'must be valid Unicode');
  } else if (typeof json !== 'boolean' && json !== null) {
    findings.error(path, 'type', `must be JSON, not ${typeof json}`);
  }
}

export function isFreeForm(wellKnown: WellKnown): boolean {
  return wellKnown === 'struct' || wellKnown === 'value' || wellKnown === 'list';
}

/** What the JSON of a message with a form of its own had to be, where it is not; the inside of free forms is not looked at. */
export function findMissedForm(wellKnown: WellKnown, json: JsonValue): string | undefined {
  switch (wellKnown) {
    case 'struct':
      return isJsonObject(json) ? undefined : 'an object';
    case 'list':
      return Array.isArray(json) ? undefined : 'a list';
    case 'duration':
      return parseDuration(json) ? undefined : 'a duration such as "1.5s"';
    case 'timestamp':
      return parseTimestamp(json) ? undefined : 'a time such as "2026-01-01T00:00:00Z"';
    case 'field_mask':
      return parseFieldMask(json) ? undefined : 'paths in camelCase with commas between';
    default:
      return undefined;
  }
}
