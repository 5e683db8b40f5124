import { wrappedScalar } from '@flotilla/envoy-rules';
import type { ValueDescription } from '../../forms/schema-source.ts';

export const TYPE_URL_PREFIX = 'type.googleapis.com/';

/** Returns the type as it is written: a wrapper is written as its scalar. */
export function unwrap(value: ValueDescription): ValueDescription {
  const scalar = value.kind === 'message' ? wrappedScalar(value.type) : undefined;
  return scalar === undefined ? value : { kind: 'scalar', type: scalar };
}
