import * as z from 'zod';
import type { Complaint } from '../problem.ts';
import { isRecord } from './engine-spec.ts';

/** The cost of all fields with a name. Other fields cost 1. */
export type FieldCost = readonly [name: string, cost: number];

const FIELD_COST_MAX = 1_000_000;
const NAMES_MAX = 1000;

export const fieldCostsSchema = z.record(z.string(), z.int().min(0).max(FIELD_COST_MAX)).optional();

/** GraphQL specification, section 2.1.9. */
const GRAPHQL_NAME = /^[A-Za-z_]\w{0,255}$/;

/** Checks `field_costs` beyond its schema. */
export function checkFieldCosts(block: Readonly<Record<string, unknown>>): Complaint[] {
  const { field_costs: costs, max_cost: max } = block;
  if (!isRecord(costs)) return [];
  const complaints: Complaint[] = [];
  if ((max ?? 0) === 0) {
    complaints.push({
      path: ['field_costs'],
      rule: 'graphql.costs_unused',
      message: 'needs max_cost: costs have no effect without it',
      at: 'key',
    });
  }
  const entries = Object.entries(costs);
  if (entries.length > NAMES_MAX) {
    const message = `names more than ${NAMES_MAX} fields`;
    complaints.push({ path: ['field_costs'], rule: 'graphql.field_cost', message, at: 'key' });
    return complaints;
  }
  for (const [name, cost] of entries) {
    const fault = findFault(name, cost);
    if (fault === undefined) continue;
    complaints.push({ path: ['field_costs', name], rule: 'graphql.field_cost', message: fault, at: 'key' });
  }
  return complaints;
}

function findFault(name: string, cost: unknown): string | undefined {
  if (!GRAPHQL_NAME.test(name)) {
    return 'is not the name of a GraphQL field: letters, digits and _, no digit first, at most 256; without its type';
  }
  // The schema ignores a member with this name, whatever its value.
  const isUnseen = name === '__proto__' && !fieldCostsSchema.safeParse({ cost }).success;
  return isUnseen ? `must have a cost from 0 to ${FIELD_COST_MAX}` : undefined;
}

/** Sorted by name, so that their order makes no difference. The costs must have passed `checkFieldCosts`. */
export function listFieldCosts(written: Readonly<Record<string, number>> | undefined): FieldCost[] {
  return Object.entries(written ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
}
