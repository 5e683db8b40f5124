import { setImmediate } from 'node:timers/promises';
import { failBackup, nameSchema } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import { findDocuments } from '../../documents/index.ts';
import { findPolicies } from '../../policies/index.ts';
import type { EnvoyApis } from '../../proxy-versions/index.ts';
import { findServices } from '../project-store.ts';
import { type Chooser, refuse, refuseAll, type Section, SWITCHED_OFF } from './choices.ts';
import {
  nameDocument,
  type ProjectContent,
  type Restorable,
  type RestorableDocument,
  type RestorablePolicy,
  type RestorableService,
} from './content.ts';
import type { RestorableGroup } from './people.ts';
import { findGroups } from './people-store.ts';
import { followRoutes, renameDocument, whyNotRenamable } from './rename-documents.ts';
import { renamePolicy } from './rename-policy.ts';
import type { RestorableSchedule } from './schedule-rows.ts';
import { findSchedules } from './schedule-store.ts';
import { type Decided, isWritten } from './standing.ts';

export interface RenameOrder {
  readonly tx: Tx;
  readonly project: string;
  readonly envoyApis: EnvoyApis;
  readonly chooser: Chooser;
  /** Names of policies whose secret files lie here alone. */
  readonly bare: ReadonlySet<string>;
}

interface Named {
  readonly documents: readonly Decided<RestorableDocument>[];
  readonly policies: readonly Decided<RestorablePolicy>[];
  readonly services: readonly Decided<RestorableService>[];
  readonly groups: readonly Decided<RestorableGroup>[];
}

/**
 * Gives what is renamed its new name, and everything that refers to it the name to refer to. Throws backup.choice_refused
 * for what cannot have another name, and backup.name_taken for a name that the project or the backup has already.
 */
export async function renameRecords(order: RenameOrder, content: ProjectContent, decided: Named) {
  const { tx, project, bare } = order;
  const documents = await renameDocuments(order, decided.documents);
  const without = decided.policies.filter(({ name, choice }) => choice === 'rename' && bare.has(name));
  refuseAll(
    'policies',
    without.map(({ name: record }) => ({ record, reason: 'its secret files are not in the backup' })),
  );
  const policies = await renameByName(order, {
    section: 'policies',
    decided: decided.policies,
    known: content.policies,
    findTaken: async (names) => (await findPolicies(tx, project, names)).map(({ name }) => name),
  });
  const services = await renameByName(order, {
    section: 'services',
    decided: decided.services,
    known: content.services,
    findTaken: async (names) => (await findServices(tx, project, names)).map(({ name }) => name),
  });
  const groups = await renameByName(order, {
    section: 'groups',
    decided: decided.groups,
    known: content.groups,
    findTaken: async (names) => [...(await findGroups(tx, project, names)).keys()],
  });
  const groupNames = new Map([...groups].map(([before, { to }]) => [before.toLowerCase(), to]));
  const result = {
    documents: documents.all,
    policies: decided.policies.map((one) => {
      const to = policies.get(one.name)?.to;
      return to === undefined ? one : put(one, to, renamePolicy(one.item.body, to));
    }),
    services: decided.services.map((one) => {
      const { body, from } = one.item;
      const to = services.get(one.name)?.to;
      const follow = (collection: string, name: string) =>
        documents.names.get(body.version)?.get(`${collection}/${name}`) ?? name;
      const changed = {
        ...body,
        bootstrap: follow('bootstrap', body.bootstrap),
        listeners: body.listeners.map((name) => follow('listeners', name)),
        policies: body.policies.map((name) => policies.get(name)?.to ?? name),
      };
      if (to === undefined) return { ...one, item: { from, body: changed } };
      return put(one, to, { ...changed, name: to });
    }),
    groups: decided.groups.map((one) => {
      const to = groups.get(one.name)?.to;
      return to === undefined ? one : put(one, to, { ...one.item.body, name: to });
    }),
  };
  return { ...result, content: changeContent(content, { decided, result, groupNames }) };
}

/** The name within the name of the schedule stays free of the word that is shown behind it. */
export async function renameSchedules(
  order: RenameOrder,
  decided: readonly Decided<RestorableSchedule>[],
  { known, room }: { readonly known: readonly Restorable<RestorableSchedule>[]; readonly room: number },
): Promise<Decided<RestorableSchedule>[]> {
  const names = await renameByName(order, {
    section: 'schedules',
    decided,
    known,
    findTaken: async (wanted) => [...(await findSchedules(order.tx, order.project, wanted)).keys()],
  });
  const [first] = names.values();
  if (first && names.size > room) throw refuse('schedules', first.shown, 'the project has as many as it may have');
  return decided.map((one) => {
    const to = names.get(one.item.body.name)?.to;
    return to === undefined ? one : put(one, `${to}${SWITCHED_OFF}`, { ...one.item.body, name: to });
  });
}

function put<T>({ name: was, item: { from }, ...rest }: Decided<T>, name: string, body: T): Decided<T> {
  return { ...rest, name, was, item: { from, body } };
}

interface ByName<T extends { readonly name: string }> {
  readonly section: Section;
  readonly decided: readonly Decided<T>[];
  /** All that the backup has of these. */
  readonly known: readonly Restorable<T>[];
  /** Of these names, those that the project has. */
  findTaken(names: readonly string[]): Promise<readonly string[]>;
}

type NewNames = Map<string, { readonly to: string; readonly shown: string }>;

async function renameByName<T extends { readonly name: string }>(
  { chooser }: RenameOrder,
  { section, decided, known, findTaken }: ByName<T>,
): Promise<NewNames> {
  const names: NewNames = new Map();
  for (const one of decided) {
    if (one.choice !== 'rename') continue;
    const { name } = one.item.body;
    names.set(name, { to: requireName(section, one, chooser.nameOf(one, name)), shown: one.name });
  }
  const taken = new Set(known.map(({ body }) => body.name.toLowerCase()));
  for (const name of await findTaken([...names.values()].map(({ to }) => to))) taken.add(name.toLowerCase());
  for (const { to, shown } of names.values()) take(taken, { section, record: shown, name: to });
  return names;
}

/** Each is walked whole, while others wait. */
const LOOKED_AT_ONCE = 100;

async function renameDocuments(order: RenameOrder, decided: readonly Decided<RestorableDocument>[]) {
  const byVersion = Map.groupBy(decided, ({ item: { body } }) => body.version);
  const names = new Map<string, Map<string, string>>();
  const renamed = new Map<Decided<RestorableDocument>, Decided<RestorableDocument>>();
  for (const [version, all] of byVersion) {
    const own = await nameAnew(order, version, all);
    if (own.size === 0) continue;
    names.set(version, own);
    const api = await order.envoyApis.get(version);
    let looked = 0;
    for (const one of all) {
      const { body, from } = one.item;
      // What is not written refers to nothing.
      if (!isWritten(one) && !own.has(`${body.collection}/${body.name}`)) continue;
      looked += 1;
      if (looked % LOOKED_AT_ONCE === 0) await setImmediate();
      const changed = renameDocument(api, body, own);
      const moved = changed.name !== body.name;
      renamed.set(one, moved ? put(one, nameDocument(changed), changed) : { ...one, item: { from, body: changed } });
    }
  }
  return { names, all: decided.map((one) => renamed.get(one) ?? one) };
}

/** New names of one version, by `<collection>/<name>`. Virtual hosts go with their route configuration, whatever was chosen. */
async function nameAnew(
  { tx, project, chooser }: RenameOrder,
  version: string,
  all: readonly Decided<RestorableDocument>[],
): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (const one of all) {
    const { collection, name } = one.item.body;
    if (one.choice === 'rename' && collection !== 'virtual_hosts')
      names.set(`${collection}/${name}`, requireName('documents', one, chooser.nameOf(one, name)));
  }
  const standings = new Map(
    all.map(({ item: { body }, standing }) => [`${body.collection}/${body.name}`, standing.is]),
  );
  refuseAll(
    'documents',
    all.flatMap((one) => {
      const reason = one.choice === 'rename' ? whyNotRenamable(one, names, standings) : undefined;
      return reason === undefined ? [] : [{ record: one.name, reason }];
    }),
  );
  for (const { item } of all) {
    const moved = followRoutes(item.body, names);
    if (moved !== undefined) names.set(`virtual_hosts/${item.body.name}`, moved);
  }
  const wanted = all.flatMap(({ name: record, item: { body } }) => {
    const to = names.get(`${body.collection}/${body.name}`);
    return to === undefined ? [] : [{ record, collection: body.collection, name: to }];
  });
  const here = await findDocuments(tx, { project, version }, wanted);
  const taken = new Set(
    [...here, ...all.map(({ item }) => item.body)].map(({ collection, name }) => `${collection}/${name}`),
  );
  for (const { record, collection, name } of wanted)
    take(taken, { section: 'documents', record, name: `${collection}/${name}` });
  return names;
}

function requireName(section: Section, { name: record }: Decided<unknown>, name: string): string {
  if (nameSchema.safeParse(name).success) return name;
  throw refuse(section, record, `${name} is no name for it`);
}

/** Names of groups differ by more than their case, so none of a restore does not. */
function take(
  taken: Set<string>,
  { section, record, name }: { readonly section: Section; readonly record: string; readonly name: string },
): void {
  const key = section === 'documents' ? name : name.toLowerCase();
  if (taken.has(key)) throw failBackup('backup.name_taken', { section, record, name });
  taken.add(key);
}

/** The backup as if everything in it had always been called what it is called now. */
function changeContent(
  content: ProjectContent,
  {
    decided,
    result,
    groupNames,
  }: { readonly decided: Named; readonly result: Named; readonly groupNames: ReadonlyMap<string, string> },
): ProjectContent {
  const change = <T>(all: readonly Restorable<T>[], before: readonly Decided<T>[], after: readonly Decided<T>[]) => {
    const items = new Map(before.map(({ item }, i) => [item, after[i]?.item]));
    return all.map((item) => items.get(item) ?? item);
  };
  return {
    ...content,
    documents: change(content.documents, decided.documents, result.documents),
    policies: change(content.policies, decided.policies, result.policies),
    services: change(content.services, decided.services, result.services),
    groups: change(content.groups, decided.groups, result.groups),
    permissions: content.permissions.map(({ from, body }) => {
      const { kind, name } = body.subject;
      const to = kind === 'group' ? groupNames.get(name.toLowerCase()) : undefined;
      return to === undefined ? { from, body } : { from, body: { ...body, subject: { kind, name: to, was: name } } };
    }),
  };
}
