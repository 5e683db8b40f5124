import type { JsonValue } from '@bufbuild/protobuf';
import type { WellKnown } from '../schema/plan.ts';
import type { Findings } from './findings.ts';
import { MAX_DEPTH } from './limits.ts';
import { isJsonObject } from './object.ts';
import type { PathNode } from './path.ts';

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
    for (const [key, item] of json.entries()) {
      if (findings.full) return;
      checkJsonDepth(item, { parent: path, key }, depth + LIST_DEPTH, findings);
    }
  } else if (isJsonObject(json)) {
    for (const key of Object.keys(json)) {
      if (findings.full) return;
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
  return wellKnown === 'struct' || wellKnown === 'value' || wellKnown === 'list_value';
}
