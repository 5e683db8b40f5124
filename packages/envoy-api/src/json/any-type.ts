import type { JsonObject } from '@bufbuild/protobuf';
import { typeNameOfUrl } from '@flotilla/envoy-rules';
import type { MessagePlan } from '../schema/plan.ts';
import type { Planner } from '../schema/planner.ts';
import type { Findings } from './findings.ts';
import type { PathNode } from './path.ts';
import { describeUnknownType } from './problems.ts';

/** The message in the `@type` of an Any. Undefined if it is empty, which is allowed, or after an error at `at`. */
export function findTypeOfAny(
  planner: Planner,
  json: JsonObject,
  at: PathNode,
  findings: Findings,
): { readonly url: string; readonly plan: MessagePlan } | undefined {
  const url = json['@type'];
  if (url === undefined) {
    if (Object.keys(json).length === 0) return undefined;
    const message = 'is missing: it names the message, e.g. "type.googleapis.com/google.protobuf.Empty"';
    findings.error(at, 'any.type', message);
    return undefined;
  }
  const typeName = typeof url === 'string' ? typeNameOfUrl(url) : undefined;
  if (typeof url !== 'string' || typeName === undefined) {
    findings.error(at, 'any.type', 'must be "type.googleapis.com/" and the full name of a message');
    return undefined;
  }
  const plan = planner.find(typeName);
  if (plan) return { url, plan };
  if (!findings.full) findings.error(at, 'any.unknown_type', describeUnknownType(planner, typeName, findings));
  return undefined;
}
