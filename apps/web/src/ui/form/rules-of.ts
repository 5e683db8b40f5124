import { bodies } from 'virtual:bodies';
import type { RouteRef } from '../../api/index.ts';
import type { FieldRules } from './field-rules.ts';

const NONE: FieldRules = {};

/** Returns the rules of the body of a route, as the contract declares them. */
export function rulesOf({ id }: Pick<RouteRef, 'id'>): FieldRules {
  return bodies[id] ?? NONE;
}
