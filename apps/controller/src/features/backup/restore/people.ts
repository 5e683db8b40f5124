import { isDeepStrictEqual } from 'node:util';
import type { Level, ResourceKind } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import { actorName, type RequestContext } from '../../../http/context.ts';
import { deleteGroupMember, findGroup, insertGroup, insertGroupMember, updateGroup } from '../../groups/index.ts';
import { findGiven, storePermission } from '../../permissions/index.ts';
import type { Restorable } from './content.ts';
import { findGroups, findMembers, type GroupHere } from './people-store.ts';
import { type Judged, judge } from './standing.ts';

export interface RestorableGroup {
  readonly name: string;
  readonly description: string | null;
  /** User names. */
  readonly members: readonly string[];
}

export interface RestorablePermission {
  readonly kind: ResourceKind;
  /** By the id that it has in the backup; null: all of the kind. */
  readonly resource: string | null;
  readonly subject: {
    readonly kind: 'user' | 'group';
    readonly name: string;
    /** What the group is called in the backup, where it gets another name. */
    readonly was?: string;
  };
  readonly level: Level;
}

export interface People {
  readonly groups: readonly Restorable<RestorableGroup>[];
  readonly permissions: readonly Restorable<RestorablePermission>[];
}

interface PeopleOrder {
  readonly tx: Tx;
  readonly project: string;
  readonly content: People;
  /** Who becomes a member before anything is given: ids by user name. */
  readonly newcomers: ReadonlyMap<string, string>;
}

const NAMES_TOLD = 20;

/** What the backup says of people counts for those who are members here by their user names, or become members with it. */
export async function judgeGroups({ tx, project, content, newcomers }: PeopleOrder) {
  const here = await findGroups(
    tx,
    project,
    content.groups.map(({ body }) => body.name),
  );
  const people = new Map([...(await findMembers(tx, project, namesIn(content))), ...newcomers]);
  const judged = content.groups.map((item): Judged<RestorableGroup> => {
    const found = here.get(item.body.name.toLowerCase());
    const name = item.body.name;
    if (!found) return { item, name, standing: { is: 'new' } };
    // It has the newcomers by itself.
    const members = found.isDefault ? new Set([...found.members, ...newcomers.values()]) : found.members;
    return { item, name, standing: judge(found, isSame({ ...found, members }, item.body, people)) };
  });
  return { judged, here, people };
}

/** User names of the backup that nobody in the project has. */
export function describeStrangers(content: People, people: ReadonlyMap<string, string>) {
  const strangers = [...new Set(namesIn(content))].filter((name) => !people.has(name)).toSorted();
  const reason = `they are no members of this project: ${nameSome(strangers)}`;
  return { kind: 'people', count: strangers.length, reason };
}

export function nameSome(names: readonly string[]): string {
  return `${names.slice(0, NAMES_TOLD).join(', ')}${names.length > NAMES_TOLD ? ' and others' : ''}`;
}

function namesIn({ groups, permissions }: People): string[] {
  const named = permissions.flatMap(({ body: { subject } }) => (subject.kind === 'user' ? [subject.name] : []));
  return [...groups.flatMap(({ body }) => body.members), ...named];
}

function idsOf(names: readonly string[], people: ReadonlyMap<string, string>): Set<string> {
  return new Set(names.flatMap((name) => people.get(name) ?? []));
}

function isSame(found: GroupHere, wanted: RestorableGroup, people: ReadonlyMap<string, string>): boolean {
  const members = idsOf(wanted.members, people);
  // Whoever is a member of the project is in the default group, also who has come since the backup.
  const hasSame = found.isDefault
    ? [...members].every((id) => found.members.has(id))
    : isDeepStrictEqual(found.members, members);
  return found.description === wanted.description && hasSame;
}

export interface PermissionsOrder extends Omit<PeopleOrder, 'newcomers'> {
  readonly people: ReadonlyMap<string, string>;
  readonly here: ReadonlyMap<string, GroupHere>;
  /** Names of groups that will be there. */
  readonly groups: ReadonlySet<string>;
  /** By its id in the backup: the id here, or undefined where it will be made. Others are not taken. */
  readonly resources: ReadonlyMap<
    string,
    { readonly name: string; readonly was?: string | undefined; readonly id: string | undefined }
  >;
}

/** Those whose subject and thing are here, or will be. */
export async function judgePermissions(order: PermissionsOrder): Promise<Judged<RestorablePermission>[]> {
  const { tx, project, content, people, here, groups, resources } = order;
  const judged: Judged<RestorablePermission>[] = [];
  for (const item of content.permissions) {
    const { kind, resource, subject, level } = item.body;
    const thing = resource === null ? { name: 'all', was: undefined, id: null } : resources.get(resource);
    const isKnown = subject.kind === 'user' ? people.has(subject.name) : groups.has(subject.name.toLowerCase());
    if (!thing || !isKnown) continue;
    const namedBy = (who: string, what: string) => `${subject.kind} ${who} may ${level} ${kind} ${what}`;
    const name = namedBy(subject.name, thing.name);
    const before = namedBy(subject.was ?? subject.name, thing.was ?? thing.name);
    const id = subject.kind === 'user' ? people.get(subject.name) : here.get(subject.name.toLowerCase())?.id;
    const given =
      id !== undefined && thing.id !== undefined
        ? await findGiven(tx, project, { kind: subject.kind, id }, { kind, id: thing.id })
        : undefined;
    if (!given) judged.push({ item, name, before, standing: { is: 'new' } });
    else
      judged.push({
        item,
        name,
        before,
        standing: given.level === level ? { is: 'same' } : { is: 'other', revision: 0 },
      });
  }
  return judged;
}

interface Writing {
  readonly ctx: RequestContext;
  readonly tx: Tx;
}

/** Each becomes as the backup has it, of the members that there are. Nobody is taken out of the default group. */
export async function writeGroups(
  { ctx, tx }: Writing,
  wanted: readonly Restorable<RestorableGroup>[],
): Promise<{ from: string; name: string; to: string }[]> {
  const project = ctx.project.id;
  const names = wanted.map(({ body }) => body.name);
  const here = await findGroups(tx, project, names);
  const people = await findMembers(
    tx,
    project,
    wanted.flatMap(({ body }) => body.members),
  );
  const written: { from: string; name: string; to: string }[] = [];
  for (const { from, body } of wanted) {
    const { name, description } = body;
    const found = here.get(name.toLowerCase());
    const id = found?.id ?? createId(ctx.now.getTime());
    if (!found) await insertGroup(tx, { id, projectId: project, now: ctx.now }, { name, description });
    const group = await findGroup(tx, project, id);
    if (found) await updateGroup(tx, group, { description }, ctx.now);
    const members = idsOf(body.members, people);
    for (const userId of members) await insertGroupMember(tx, group, userId, ctx.now);
    if (found && !found.isDefault)
      for (const userId of found.members) if (!members.has(userId)) await deleteGroupMember(tx, id, userId);
    written.push({ from, name, to: id });
  }
  return written;
}

/** `idOf`: of a thing by the id that it has in the backup, now that everything else is written. */
export async function writePermissions(
  { ctx, tx }: Writing,
  wanted: readonly Restorable<RestorablePermission>[],
  idOf: (from: string) => string | undefined,
): Promise<void> {
  const projectId = ctx.project.id;
  const namesOf = (kind: 'user' | 'group') =>
    wanted.flatMap(({ body: { subject } }) => (subject.kind === kind ? [subject.name] : []));
  const people = await findMembers(tx, projectId, namesOf('user'));
  const groups = await findGroups(tx, projectId, namesOf('group'));
  for (const { body } of wanted) {
    const { kind, resource, subject, level } = body;
    const id = subject.kind === 'user' ? people.get(subject.name) : groups.get(subject.name.toLowerCase())?.id;
    const thing = resource === null ? null : idOf(resource);
    if (id === undefined || thing === undefined) throw new Error('the plan takes only what is known here');
    await storePermission(tx, {
      id: createId(ctx.now.getTime()),
      projectId,
      subject: { kind: subject.kind, id },
      resource: { kind, id: thing },
      level,
      by: actorName(ctx),
      at: ctx.now,
    });
  }
}
