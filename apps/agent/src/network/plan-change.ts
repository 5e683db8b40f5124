import { join } from 'node:path';
import { err, ok, type Result } from '@flotilla/kit';
import type { Operation, PolicySpec, RouteSpec, TableSpec } from '@flotilla/proto/commands';
import type { ChangeRecord, FileChange } from './change-folder.ts';
import { addGeneration, readGenerations } from './generations.ts';
import { routeKey, ruleKey } from './ip-lines.ts';
import { type Definition, findDefinition, listInterfaces } from './netplan-documents.ts';
import { generate, INTERFACES_FILE, listNames, ROUTES_FILE, readNetplanFiles, readText } from './netplan-files.ts';
import { planLinks } from './plan-links.ts';
import { planPolicies } from './plan-policies.ts';
import { planRoutes } from './plan-routes.ts';
import { planTables } from './plan-tables.ts';
import { readKernelState } from './read-state.ts';
import { changeStored, formatStoredRoutes, parseStoredRoutes, type StoredChange } from './stored-routes.ts';
import { formatTables, parseTables } from './tables-file.ts';
import type { KernelState, NetworkSettings, Problem, Route, Rule } from './types.ts';

const TABLES_FOLDER = 'etc/iproute2/rt_tables.d';
const TABLES_FILE = 'flotilla.conf';
const FILE_MODE = 0o600;
/** The file contains only names, and every user of `ip` needs them. */
const TABLES_MODE = 0o644;

export interface Order {
  readonly id: string;
  readonly timeoutMs: number;
}

type Planned = Promise<Result<ChangeRecord, Problem>>;

export async function planRouteChange(
  settings: NetworkSettings,
  order: Order,
  operations: ReadonlyArray<Operation<RouteSpec>>,
): Planned {
  const state = await readKernelState(settings);
  if (!state.ok) return state;
  const plan = planRoutes(state.value, operations);
  if (!plan.ok) return plan;
  const { lines, removed, added } = plan.value;
  return planRouting(
    settings,
    { ...order, lines, state: state.value, summary: { route_operations_count: operations.length } },
    {
      removedRoutes: removed,
      addedRoutes: added,
      removedRules: [],
      addedRules: [],
    },
  );
}

export async function planPolicyChange(
  settings: NetworkSettings,
  order: Order,
  operations: ReadonlyArray<Operation<PolicySpec>>,
): Planned {
  const state = await readKernelState(settings);
  if (!state.ok) return state;
  const plan = planPolicies(state.value, operations);
  if (!plan.ok) return plan;
  const { lines, removed, added } = plan.value;
  const interfaceOf = (rule: Rule) =>
    operations.findLast(({ spec }) => spec.family === rule.family && spec.priority === rule.priority)?.spec.interface ??
    '';
  return planRouting(
    settings,
    { ...order, lines, state: state.value, summary: { policy_operations_count: operations.length } },
    {
      removedRoutes: [],
      addedRoutes: [],
      removedRules: removed,
      addedRules: added.map((rule) => ({ rule, interface: interfaceOf(rule) })),
    },
  );
}

export async function planTableChange(
  settings: NetworkSettings,
  order: Order,
  operations: ReadonlyArray<Operation<TableSpec>>,
): Planned {
  const state = await readKernelState(settings);
  if (!state.ok) return state;
  const plan = planTables(state.value, await readTables(settings), operations);
  if (!plan.ok) return plan;
  const { tables, lines, removedRoutes, removedRules } = plan.value;
  const path = join(settings.root, TABLES_FOLDER, TABLES_FILE);
  const content = tables.length === 0 ? null : formatTables(tables);
  const change = { removedRoutes, addedRoutes: [], removedRules, addedRules: [] };
  const summary = { table_operations_count: operations.length };
  const files = [{ path, content, mode: TABLES_MODE }];
  return planRouting(settings, { ...order, lines, state: state.value, summary, files }, change);
}

/** The tables that Flotilla has defined, and those of other files. */
export async function readTables({ root }: Pick<NetworkSettings, 'root'>) {
  const own = parseTables((await readText(join(root, TABLES_FOLDER, TABLES_FILE))) ?? '');
  const names = (await listNames(join(root, TABLES_FOLDER))).filter(
    (name) => name.endsWith('.conf') && name !== TABLES_FILE,
  );
  const paths = ['etc/iproute2/rt_tables', ...names.map((name) => `${TABLES_FOLDER}/${name}`)];
  const texts = await Promise.all(paths.map((path) => readText(join(root, path))));
  const kernel = [
    { id: 253, name: 'default' },
    { id: 254, name: 'main' },
    { id: 255, name: 'local' },
  ];
  const others = [...kernel, ...texts.flatMap((text) => parseTables(text ?? ''))];
  return { own, others: others.filter(({ id }, i) => others.findIndex((one) => one.id === id) === i) };
}

interface RoutingOrder extends Order {
  readonly lines: readonly string[];
  readonly state: KernelState;
  readonly summary: Readonly<Record<string, unknown>>;
  readonly files?: readonly FileChange[];
}

/** A change of routes, policies or tables: `ip` applies it, and one netplan file contains the result. */
async function planRouting(settings: NetworkSettings, order: RoutingOrder, change: StoredChange): Planned {
  const { id, timeoutMs, lines, state, summary, files = [] } = order;
  const documents = await readNetplanFiles(settings);
  const others = [...documents].filter(([name]) => name !== ROUTES_FILE);
  const definitions = findDefinitions(
    others.map(([, text]) => text),
    state,
    change,
  );
  if (!definitions.ok) return definitions;
  const path = join(settings.root, 'etc/netplan', ROUTES_FILE);
  const stored = parseStoredRoutes(documents.get(ROUTES_FILE));
  const content = formatStoredRoutes(changeStored(stored, change, (name) => definitions.value.get(name) as Definition));
  const checked = await generate(
    settings,
    new Map([...others, ...(content === undefined ? [] : [[ROUTES_FILE, content] as const])]),
  );
  if (!checked.ok) return checked;
  const isStored = content !== documents.get(ROUTES_FILE);
  return ok({
    id,
    settings,
    timeoutMs,
    lines,
    routeLines: [],
    shadow: null,
    files: [...files, ...(isStored ? [{ path, content: content ?? null, mode: FILE_MODE }] : [])],
    before: state,
    scope: { links: [], ...scopeOf(change) },
    newAddresses: [],
    summary: { ...summary, needsProof: lines.length > 0 },
  });
}

function scopeOf({ removedRoutes, addedRoutes, removedRules, addedRules }: StoredChange) {
  return {
    routeKeys: [...removedRoutes, ...addedRoutes].map(routeKey),
    ruleKeys: [...removedRules, ...addedRules.map(({ rule }) => rule)].map(ruleKey),
  };
}

/** Netplan would configure an interface that only its file of routes defines, and delete its addresses. */
function findDefinitions(
  documents: readonly string[],
  { links }: KernelState,
  { addedRoutes, addedRules }: Pick<StoredChange, 'addedRoutes' | 'addedRules'>,
): Result<ReadonlyMap<string, Definition>, Problem> {
  const names = new Set([...addedRoutes.map(interfaceOf), ...addedRules.map((one) => one.interface)]);
  const found = new Map<string, Definition>();
  for (const name of names) {
    const definition = findDefinition(documents, { name, mac: links.find((link) => link.name === name)?.mac ?? '' });
    if (!definition) {
      const message = `netplan does not configure ${name}, so its routes cannot be stored; configure it with SUB_NETPLAN_APPLY first`;
      return err({ code: 'network.not_managed', message });
    }
    found.set(name, definition);
  }
  return ok(found);
}

function interfaceOf({ hops }: Route): string {
  return hops[0]?.dev ?? '';
}

/** A change of the managed netplan file; null deletes it. */
export async function planNetplanChange(settings: NetworkSettings, order: Order, yaml: string | null): Planned {
  const state = await readKernelState(settings);
  if (!state.ok) return state;
  const documents = await readNetplanFiles(settings);
  const current = documents.get(INTERFACES_FILE);
  const next = new Map(documents);
  if (yaml === null) next.delete(INTERFACES_FILE);
  else next.set(INTERFACES_FILE, yaml);
  const after = await generate(settings, next);
  if (!after.ok) return after;
  const before = await generate(settings, documents);
  const configs = {
    before: before.ok ? before.value : { devices: new Map(), networks: new Map() },
    after: after.value,
  };
  const plan = settings.driver === 'ip' ? planLinks(state.value, configs) : ok({ lines: [], routeLines: [] });
  if (!plan.ok) return plan;
  const touched = new Set([
    ...listInterfaces(current),
    ...listInterfaces(yaml ?? undefined),
    ...configs.before.devices.keys(),
    ...after.value.devices.keys(),
    ...after.value.networks.keys(),
  ]);
  const { id, timeoutMs } = order;
  const history = addGeneration(settings, await readGenerations(settings), {
    before: current,
    after: yaml,
    id,
    at: new Date(),
  });
  const file = { path: join(settings.root, 'etc/netplan', INTERFACES_FILE), content: yaml, mode: FILE_MODE };
  return ok({
    id,
    settings,
    timeoutMs,
    ...plan.value,
    shadow:
      settings.driver === 'netplan' ? { ...file, path: join(settings.root, 'run/netplan', INTERFACES_FILE) } : null,
    files: [file, ...history.files],
    before: state.value,
    scope: {
      links: [...touched],
      routeKeys: [],
      ruleKeys: [...after.value.networks.values()].flatMap(({ rules }) => rules.map(ruleKey)),
    },
    newAddresses: listNewAddresses(state.value, after.value),
    summary: { generation: history.generation, needsProof: true },
  });
}

function listNewAddresses(
  { links }: KernelState,
  { networks }: { networks: ReadonlyMap<string, { addresses: readonly string[] }> },
) {
  return [...networks].flatMap(([dev, { addresses }]) => {
    const have = new Set(links.flatMap((link) => link.addresses.map((one) => one.address)));
    return addresses.filter((address) => !have.has(address)).map((address) => ({ address, dev }));
  });
}
