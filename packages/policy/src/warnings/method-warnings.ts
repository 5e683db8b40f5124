import type { Complaint } from '../problem.ts';
import { listOf } from './written-policy.ts';

/** Finds methods of a list that differ from those that clients send only by case. */
export function findMethodCaseWarnings(
  methods: unknown,
  { path, rule }: Pick<Complaint, 'path' | 'rule'>,
): Complaint[] {
  return listOf(methods).flatMap((method, index): Complaint[] => {
    if (typeof method !== 'string' || method === method.toUpperCase()) return [];
    const message = `is not ${method.toUpperCase()}: methods are case-sensitive`;
    return [{ path: [...path, index], rule, message }];
  });
}
