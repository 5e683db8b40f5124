import type { JsonObject } from '@bufbuild/protobuf';
import type { MessagePlan } from '../schema/plan.ts';
import { isJsonObject } from './object.ts';

/** `{ "$ref": "filters/my-jwt" }` is replaced by the message of another document. */
export function isReference(value: unknown): value is { readonly $ref: string } {
  return (
    isJsonObject(value) &&
    Object.hasOwn(value, '$ref') &&
    typeof value.$ref === 'string' &&
    Object.keys(value).length === 1
  );
}

/** The error of an object with `$ref` instead of a message of this type. Only extensions can be referred to. */
export function findReferenceProblem(
  plan: MessagePlan,
  json: JsonObject,
  { allowRefs }: { readonly allowRefs: boolean },
): string | undefined {
  const fits = plan.extensionSlot || plan.wellKnown === 'any';
  if (!fits) return `${plan.typeName} cannot be a reference: only extensions can`;
  if (!allowRefs) return 'is a reference that was not resolved';
  if (isReference(json) && json.$ref !== '') return undefined;
  return 'must be { "$ref": "<collection>/<name>" } and nothing else';
}
