import { err, ok, type Result } from '@flotilla/kit';
import type { Operation, TableSpec } from '@flotilla/proto/commands';
import { isEditable, PROTOCOL_NAMES, routeLine, ruleLine } from './ip-lines.ts';
import type { KernelState, Problem, Route, Rule } from './types.ts';

export interface TablePlan {
  readonly tables: readonly TableSpec[];
  readonly lines: readonly string[];
  readonly removedRoutes: readonly Route[];
  readonly removedRules: readonly Rule[];
}

/** Plans a batch against the named tables of this host. DELETE also removes the routes and rules of the table. */
export function planTables(
  state: KernelState,
  { own, others }: { readonly own: readonly TableSpec[]; readonly others: readonly TableSpec[] },
  operations: ReadonlyArray<Operation<TableSpec>>,
): Result<TablePlan, Problem> {
  let tables = [...own];
  const removedRoutes: Route[] = [];
  const removedRules: Rule[] = [];
  for (const [i, { action, spec }] of operations.entries()) {
    const refuse = (code: string, message: string) => err({ code, message: `table_operations.${i}: ${message}` });
    const { id, name } = spec;
    const same = tables.find((table) => table.id === id);
    const taken = [...tables, ...others].find(
      (table) => (action === 'ADD' && table.id === id) || (table.name === name && table.id !== id),
    );
    if (others.some((table) => table.id === id))
      return refuse('network.protected', `table ${id} is defined in another file of this host`);
    if (action === 'DELETE') {
      if (same?.name !== name) return refuse('network.not_found', `there is no table ${id} with the name ${name}`);
      const routes = state.routes.filter((route) => route.table === id);
      const rules = state.rules.filter((rule) => rule.table === id);
      const foreign = [...routes, ...rules].find((one) => !isEditable(one) || one.isPartial);
      if (foreign) {
        const protocol = PROTOCOL_NAMES[foreign.protocol] ?? foreign.protocol;
        return refuse('network.protected', `table ${id} is used by the protocol ${protocol}, which the kernel reports`);
      }
      removedRoutes.push(...routes);
      removedRules.push(...rules);
      tables = tables.filter((table) => table !== same);
      continue;
    }
    if (taken) return refuse('network.exists', `table ${taken.id} has the name ${taken.name}`);
    if (action === 'REPLACE' && !same) return refuse('network.not_found', `there is no table ${id}`);
    tables = [...tables.filter((table) => table !== same), spec];
  }
  const lines = [
    ...removedRules.map((rule) => ruleLine('del', rule)),
    ...removedRoutes.map((route) => routeLine('del', route)),
  ];
  return ok({ tables: tables.toSorted((a, b) => a.id - b.id), lines, removedRoutes, removedRules });
}
