import { createHash } from 'node:crypto';
import type { RestoreChoices, RestorePlan, Role } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import type { JobActor, Jobs } from '../../jobs/index.ts';
import type { Keyring } from '../../keyring/index.ts';
import type { EnvoyApis } from '../../proxy-versions/index.ts';
import type { CheckedKept } from '../../settings/index.ts';
import { describeAbsent } from './absent.ts';
import { Chooser } from './choices.ts';
import type { ProjectContent, Restorable, RestorableDocument, RestorablePolicy, RestorableService } from './content.ts';
import { judgeHistory } from './history.ts';
import { mapIds } from './ids.ts';
import { judgeDocuments, judgePolicies, judgeServices, judgeSettings } from './judge.ts';
import { judgeMembers, nameMember, type RestorableMember } from './members.ts';
import {
  describeStrangers,
  judgeGroups,
  judgePermissions,
  type PermissionsOrder,
  type RestorableGroup,
  type RestorablePermission,
} from './people.ts';
import { renameRecords, renameSchedules } from './rename.ts';
import type { RestorableSchedule } from './schedule-rows.ts';
import { judgeSchedules } from './schedules.ts';
import { type Decided, isMade, isWritten } from './standing.ts';

/** What is written, in this order, and the plan that people see. */
export interface RestoreWork {
  readonly plan: RestorePlan;
  readonly documents: readonly Restorable<RestorableDocument>[];
  readonly policies: readonly (Restorable<RestorablePolicy> & { readonly isNew: boolean })[];
  /** `id`: of the service that is replaced. */
  readonly services: readonly (Restorable<RestorableService> & { readonly id: string | undefined })[];
  readonly settings: readonly Restorable<CheckedKept>[];
  readonly members: readonly Restorable<RestorableMember>[];
  readonly groups: readonly Restorable<RestorableGroup>[];
  readonly permissions: readonly Restorable<RestorablePermission>[];
  readonly schedules: readonly Restorable<RestorableSchedule>[];
  /** Documents and policies that are not here yet: `documents/<name>`. */
  readonly made: ReadonlySet<string>;
  /** All that the backup holds, by the names that it gets here. */
  readonly content: ProjectContent;
}

export interface PlanOrder {
  readonly tx: Tx;
  readonly keyring: Keyring;
  readonly project: string;
  readonly content: ProjectContent;
  readonly sha256: string;
  readonly choices: RestoreChoices;
  readonly envoyApis: EnvoyApis;
  readonly types: Jobs['types'];
  /** Who restores; undefined: the program itself, which only tries out. */
  readonly actor: JobActor | undefined;
  /** The highest role that they may give; undefined: none. */
  readonly reach: Role | undefined;
}

/** Compares the backup with what the project has, which stays as it is until the transaction ends. */
export async function planRestore(order: PlanOrder): Promise<RestoreWork> {
  const { content: found, project, sha256 } = order;
  const chooser = new Chooser(order.choices);
  // In the order in which every writer takes these locks.
  const documentsFound = await judgeDocuments(order);
  const { judged: policiesFound, withoutSecrets, bare } = await judgePolicies(order);
  const { judged: servicesFound, ids } = await judgeServices(order);
  const lost = new Set(withoutSecrets);
  const served = servicesFound.filter(({ item }) => !item.body.policies.some((name) => lost.has(name)));
  const settings = chooser.decide('settings', await judgeSettings(order));
  const isWanted = order.choices.with_members;
  const { made: members, notTaken: noMembers } = await judgeMembers({ ...order, isWanted });
  const newcomers = new Map(members.map(({ from, body }) => [body.username, from]));
  const { judged: groupsFound, here, people } = await judgeGroups({ ...order, newcomers });
  const renaming = { ...order, chooser, bare };
  const { content, documents, policies, services, groups } = await renameRecords(renaming, found, {
    documents: chooser.decide('documents', documentsFound),
    policies: chooser.decide('policies', policiesFound),
    services: chooser.decide('services', served),
    groups: chooser.decide('groups', groupsFound),
  });
  const things = await listThings({ ...order, content }, [...documents, ...policies, ...services]);
  const names = new Set([...here.keys(), ...groups.map(({ name }) => name.toLowerCase())]);
  const permitting = { ...order, content, people, here, groups: names, resources: things };
  const permissions = chooser.decide('permissions', await judgePermissions(permitting));
  const unplaced = content.permissions.length - permissions.length;
  const { schedules: known } = content;
  const { judged, room, notTaken: unscheduled } = await judgeSchedules({ ...order, schedules: known, things });
  const schedules = await renameSchedules(renaming, chooser.decide('schedules', judged), { known, room });
  chooser.requireAllFound();
  const history = judgeHistory(content, { documents, policies });
  const bareSettings = content.header.secret_free ? content.settings.filter(({ body }) => body.canBeSecret).length : 0;

  const all = [
    ['documents', documents],
    ['policies', policies],
    ['services', services],
    ['settings', settings],
    ['groups', groups],
    ['permissions', permissions],
    ['schedules', schedules],
  ] as const;
  const creates: RestorePlan['creates'] = all.flatMap(([kind, decided]) => {
    const names = decided.filter(({ standing }) => standing.is === 'new').map(({ name }) => name);
    return names.length === 0 ? [] : [{ kind, count: names.length, names: names.slice(0, NAMES_MAX) }];
  });
  if (members.length > 0)
    creates.push({ kind: 'members', count: members.length, names: members.map(({ body }) => nameMember(body)) });
  const { names: revisions } = history;
  if (revisions.length > 0)
    creates.push({ kind: 'revisions', count: revisions.length, names: revisions.slice(0, NAMES_MAX) });
  const conflicts = all.flatMap(([kind, decided]) => decided.flatMap((one) => describeConflict(kind, one)));
  const notTaken = [
    { kind: 'policies', count: withoutSecrets.length, reason: 'they name secret files, which the backup is without' },
    { kind: 'services', count: servicesFound.length - served.length, reason: 'they use policies that are not taken' },
    { kind: 'settings', count: bareSettings, reason: 'they may hold secrets, which the backup is without' },
    { kind: 'permissions', count: unplaced, reason: 'whom they were given to, or what on, is not here' },
    describeStrangers(content, people),
    ...noMembers,
    ...unscheduled,
    ...history.notTaken,
  ].filter(({ count }) => count > 0);
  const absent = await describeAbsent({ ...order, absent: content.absent, services });
  const called = new Map(documents.map(({ item: { from, body } }) => [from, body.name]));
  const shown = {
    project,
    creates,
    conflicts,
    unchanged: all.flatMap(([, decided]) => decided.filter((one) => one.standing.is === 'same' && !isMade(one))).length,
    missing_secrets: content.missing
      .slice(0, NAMES_MAX)
      .map(({ from, kind, name, path }) => ({ kind, name: called.get(from) ?? name, path })),
    not_taken: [...notTaken, ...absent, ...(content.isOwn ? [] : [FOREIGN_PEOPLE]), ...NEVER_TAKEN],
  };
  const basis = all.map(([, decided]) =>
    decided.map(({ name, was, choice, standing }) => [name, was, choice, standing]),
  );
  const digest = createHash('sha256')
    .update(JSON.stringify([sha256, shown, basis]))
    .digest('hex');
  return {
    plan: { digest, ...shown },
    documents: documents.filter(isWritten).map(({ item }) => item),
    policies: policies.filter(isWritten).map((one) => ({ ...one.item, isNew: isMade(one) })),
    services: services.filter(isWritten).map(({ item }) => ({ ...item, id: ids.get(item.body.name) })),
    settings: settings.filter(isWritten).map(({ item }) => item),
    members,
    groups: groups.filter(isWritten).map(({ item }) => item),
    permissions: permissions.filter(isWritten).map(({ item }) => item),
    schedules: schedules.filter(isWritten).map(({ item }) => item),
    made: history.made,
    content,
  };
}

/** Of what is here already, by its name, and differs or gets another one. */
function describeConflict(
  kind: string,
  { name, was, choice, standing }: Decided<unknown>,
): readonly RestorePlan['conflicts'][number][] {
  if (standing.is === 'new') return [];
  if (was !== undefined) return [{ kind, name: was, choice: 'rename', as: name }];
  return choice === undefined ? [] : [{ kind, name, choice }];
}

const NAMES_MAX = 500;
const NEVER_TAKEN = [{ kind: 'people', count: 0, reason: 'accounts are made by people, or by their directory' }];
const FOREIGN_PEOPLE = {
  kind: 'groups',
  count: 0,
  reason:
    'another installation has made the backup: its people are not those of this one, nor are its groups and permissions',
};

/** What permissions can be given on: everything of these that is here, or will be. */
async function listThings(
  { tx, project, content }: PlanOrder,
  decided: readonly Decided<unknown>[],
): Promise<PermissionsOrder['resources']> {
  const here = new Map((await mapIds(tx, project, content)).map(({ from, to }) => [from, to]));
  return new Map(decided.map(({ item: { from }, name, was }) => [from, { name, was, id: here.get(from) }]));
}
