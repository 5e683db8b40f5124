import type { NetworkPolicy, NetworkRoute, NetworkState, NetworkTable } from '@flotilla/contract';
import { Notice, type PlainColumn } from '../../../ui/index.ts';
import { ManagedList } from './managed-list.tsx';
import { texts } from './texts.ts';
import { useNetworkChange } from './use-network.ts';

export interface NetworkPlace {
  readonly clientId: string;
  readonly state: NetworkState;
  readonly mayChange: boolean;
}

const mono = (text: string | number | null) => <bdi className="mono">{text ?? texts.none}</bdi>;
const yesOrNo = (is: boolean) => (is ? texts.yes : texts.no);
const DEFAULTS = { 4: '0.0.0.0/0', 6: '::/0' } as const;

const ROUTES: readonly PlainColumn<NetworkRoute>[] = [
  { id: 'to', header: texts.routes.to, isNarrow: true, cell: ({ to }) => mono(to) },
  { id: 'via', header: texts.routes.via, isNarrow: true, cell: ({ via }) => mono(via) },
  { id: 'interface', header: texts.routes.interface, isNarrow: true, cell: (one) => mono(one.interface) },
  { id: 'table', header: texts.routes.table, align: 'right', cell: ({ table }) => table },
  { id: 'metric', header: texts.routes.metric, align: 'right', cell: ({ metric }) => metric },
  { id: 'protocol', header: texts.routes.protocol, cell: ({ protocol }) => protocol },
  { id: 'stored', header: texts.routes.stored, cell: ({ stored }) => yesOrNo(stored) },
];

export function RoutesPart({ clientId, state, mayChange }: NetworkPlace) {
  const change = useNetworkChange(clientId);
  const words = texts.routes;
  const run = (action: string, route: object) => change('SUB_ROUTE_MANAGE', { route_operations: [{ action, route }] });
  const { routes, routes_total: total, missing_routes: missing } = state;
  return (
    <ManagedList
      words={words}
      rows={routes}
      total={total}
      columns={ROUTES}
      rowId={(one) => JSON.stringify([one.family, one.table, one.to, one.metric, one.via, one.interface])}
      mayChange={mayChange}
      isManaged={(one) => !one.protected}
      fields={[
        { name: 'to', label: words.to, help: words.toHelp, isRequired: true },
        { name: 'via', label: words.via, help: words.viaHelp },
        interfaceField(state, words.interface),
        { name: 'table', label: words.table, help: words.tableHelp, isNumber: true },
        { name: 'metric', label: words.metric, isNumber: true },
      ]}
      removeTitle={({ to }) => words.remove(to)}
      removeLabel={({ to, table }) => words.removeLabel(to, table)}
      onAdd={(values) => run('ADD', values)}
      onRemove={({ family, to, via, interface: name, table, metric }) =>
        run('DELETE', {
          to: to === 'default' ? DEFAULTS[family] : to,
          table,
          metric,
          ...(via !== null && { via }),
          ...(name !== null && { interface: name }),
        })
      }
    >
      {missing.length > 0 && (
        <Notice tone="warn" title={words.missing(missing.length)}>
          {missing.map(({ to }) => to).join(', ')}
        </Notice>
      )}
    </ManagedList>
  );
}

const POLICIES: readonly PlainColumn<NetworkPolicy>[] = [
  { id: 'priority', header: texts.policies.priority, isNarrow: true, cell: ({ priority }) => priority },
  { id: 'from', header: texts.policies.from, isNarrow: true, cell: (one) => mono(describeNetwork(one.from, one)) },
  { id: 'to', header: texts.policies.to, cell: (one) => mono(describeNetwork(one.to, one)) },
  { id: 'table', header: texts.policies.table, align: 'right', isNarrow: true, cell: ({ table }) => table },
  { id: 'interface', header: texts.policies.interface, cell: (one) => mono(one.interface) },
  { id: 'protocol', header: texts.policies.protocol, cell: ({ protocol }) => protocol },
];

function describeNetwork(network: string, { family }: NetworkPolicy): string {
  return network === 'default' ? DEFAULTS[family] : network;
}

export function PoliciesPart({ clientId, state, mayChange }: NetworkPlace) {
  const change = useNetworkChange(clientId);
  const words = texts.policies;
  const run = (action: string, policy: object) =>
    change('SUB_POLICY_MANAGE', { policy_operations: [{ action, policy }] });
  return (
    <ManagedList
      words={words}
      rows={state.policies}
      total={state.policies_total}
      columns={POLICIES}
      rowId={(one) => JSON.stringify([one.family, one.priority, one.from, one.to, one.table])}
      mayChange={mayChange}
      isManaged={(one) => !one.protected}
      fields={[
        { name: 'priority', label: words.priority, help: words.priorityHelp, isNumber: true, isRequired: true },
        { name: 'from', label: words.from },
        { name: 'to', label: words.to },
        { name: 'table', label: words.table, isNumber: true, isRequired: true },
        { ...interfaceField(state, words.interface), help: words.interfaceHelp },
      ]}
      removeTitle={({ priority }) => words.remove(priority)}
      removeLabel={({ priority, family }) => words.removeLabel(priority, family)}
      onAdd={(values) => run('ADD', values)}
      onRemove={(one) =>
        run('DELETE', {
          from: describeNetwork(one.from, one),
          to: describeNetwork(one.to, one),
          table: one.table,
          priority: one.priority,
        })
      }
    />
  );
}

const TABLES: readonly PlainColumn<NetworkTable>[] = [
  { id: 'id', header: texts.tables.id, isNarrow: true, cell: ({ id }) => id },
  { id: 'name', header: texts.tables.name, isNarrow: true, cell: ({ name }) => mono(name) },
  { id: 'managed', header: texts.tables.managed, cell: ({ managed }) => yesOrNo(managed) },
];

export function TablesPart({ clientId, state, mayChange }: NetworkPlace) {
  const change = useNetworkChange(clientId);
  const words = texts.tables;
  const run = (action: string, table: object) => change('SUB_TABLE_MANAGE', { table_operations: [{ action, table }] });
  return (
    <ManagedList
      words={words}
      rows={state.routing_tables}
      columns={TABLES}
      rowId={({ id }) => String(id)}
      mayChange={mayChange}
      isManaged={({ managed }) => managed}
      fields={[
        { name: 'id', label: words.id, help: words.idHelp, isNumber: true, isRequired: true },
        { name: 'name', label: words.name, isRequired: true },
      ]}
      removeTitle={({ name }) => words.remove(name)}
      removeLabel={({ name }) => words.removeLabel(name)}
      removeText={words.removeText}
      onAdd={(values) => run('ADD', values)}
      onRemove={({ id, name }) => run('DELETE', { id, name })}
    />
  );
}

function interfaceField({ interfaces }: NetworkState, label: string) {
  return { name: 'interface', label, isRequired: true, choices: interfaces.map(({ name }) => name) };
}
