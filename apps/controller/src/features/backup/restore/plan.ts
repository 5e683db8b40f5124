import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { BACKUP_CHOICES, RestorePlan } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import { secretFiles } from '@flotilla/policy';
import { findDocuments, fullResource, lockDocuments, openDocument } from '../../documents/index.ts';
import type { JobActor, Jobs } from '../../jobs/index.ts';
import type { Keyring } from '../../keyring/index.ts';
import { findPolicies, lockPolicies, openFiles } from '../../policies/index.ts';
import { type CheckedKept, compareKept } from '../../settings/index.ts';
import { findServices } from '../project-store.ts';
import type { ProjectContent, Restorable, RestorableDocument, RestorablePolicy, RestorableService } from './content.ts';
import { judgeHistory } from './history.ts';
import { mapIds } from './ids.ts';
import {
  describeStrangers,
  judgeGroups,
  judgePermissions,
  type PermissionsOrder,
  type RestorableGroup,
  type RestorablePermission,
} from './people.ts';
import type { RestorableSchedule } from './schedule-rows.ts';
import { judgeSchedules } from './schedules.ts';
import { type Judged, judge } from './standing.ts';

export type Choice = (typeof BACKUP_CHOICES)[number];

/** What is written, in this order, and the plan that people see. */
export interface RestoreWork {
  readonly plan: RestorePlan;
  readonly documents: readonly Restorable<RestorableDocument>[];
  readonly policies: readonly (Restorable<RestorablePolicy> & { readonly isNew: boolean })[];
  /** `id`: of the service that is replaced. */
  readonly services: readonly (Restorable<RestorableService> & { readonly id: string | undefined })[];
  readonly settings: readonly Restorable<CheckedKept>[];
  readonly groups: readonly Restorable<RestorableGroup>[];
  readonly permissions: readonly Restorable<RestorablePermission>[];
  readonly schedules: readonly Restorable<RestorableSchedule>[];
  /** Documents and policies that are not here yet: `documents/<name>`. */
  readonly made: ReadonlySet<string>;
  /** All that the backup holds. */
  readonly content: ProjectContent;
}

export interface PlanOrder {
  readonly tx: Tx;
  readonly keyring: Keyring;
  readonly project: string;
  readonly content: ProjectContent;
  readonly sha256: string;
  readonly choice: Choice;
  readonly types: Jobs['types'];
  /** Who restores; undefined: the program itself, which only tries out. */
  readonly actor: JobActor | undefined;
}

/** Compares the backup with what the project has, which stays as it is until the transaction ends. */
export async function planRestore(order: PlanOrder): Promise<RestoreWork> {
  const { content, choice, project, sha256 } = order;
  const documents = await judgeDocuments(order);
  const { judged: policies, withoutSecrets } = await judgePolicies(order);
  const { judged: services, ids } = await judgeServices(order);
  const isWritten = ({ standing }: Judged<unknown>) =>
    standing.is === 'new' || (standing.is === 'other' && choice === 'replace');
  const lost = new Set(withoutSecrets);
  const unserved = services.filter(({ item }) => item.body.policies.some((name) => lost.has(name)));
  const served = services.filter((one) => !unserved.includes(one));
  const settings = await judgeSettings(order);
  const { judged: groups, here, people } = await judgeGroups(order);
  const things = await listThings(order, [...documents, ...policies, ...served]);
  const names = new Set([...here.keys(), ...groups.map(({ name }) => name.toLowerCase())]);
  const permissions = await judgePermissions({ ...order, people, here, groups: names, resources: things });
  const unplaced = content.permissions.length - permissions.length;
  const { schedules: found } = content;
  const { judged: schedules, notTaken: unscheduled } = await judgeSchedules({ ...order, schedules: found, things });
  const history = judgeHistory(content, { documents, policies });
  const bareSettings = content.header.secret_free ? content.settings.filter(({ body }) => body.canBeSecret).length : 0;

  const all = [
    ['documents', documents],
    ['policies', policies],
    ['services', served],
    ['settings', settings],
    ['groups', groups],
    ['permissions', permissions],
    ['schedules', schedules],
  ] as const;
  const creates: RestorePlan['creates'] = all.flatMap(([kind, judged]) => {
    const names = judged.filter(({ standing }) => standing.is === 'new').map(({ name }) => name);
    return names.length === 0 ? [] : [{ kind, count: names.length, names: names.slice(0, NAMES_MAX) }];
  });
  const { names: revisions } = history;
  if (revisions.length > 0)
    creates.push({ kind: 'revisions', count: revisions.length, names: revisions.slice(0, NAMES_MAX) });
  const conflicts = all.flatMap(([kind, judged]) =>
    judged.flatMap(({ name, standing }) => (standing.is === 'other' ? [{ kind, name, choice }] : [])),
  );
  const notTaken = [
    { kind: 'policies', count: withoutSecrets.length, reason: 'they name secret files, which the backup is without' },
    { kind: 'services', count: unserved.length, reason: 'they use policies that are not taken' },
    { kind: 'settings', count: bareSettings, reason: 'they may hold secrets, which the backup is without' },
    { kind: 'permissions', count: unplaced, reason: 'whom they were given to, or what on, is not here' },
    describeStrangers(content, people),
    ...unscheduled,
    ...history.notTaken,
  ].filter(({ count }) => count > 0);
  const shown = {
    project,
    creates,
    conflicts,
    unchanged: all.flatMap(([, judged]) => judged.filter(({ standing }) => standing.is === 'same')).length,
    missing_secrets: content.missing.slice(0, NAMES_MAX).map((one) => ({ ...one })),
    not_taken: [...notTaken, ...(content.isOwn ? [] : [FOREIGN_PEOPLE]), ...NEVER_TAKEN],
  };
  const basis = all.map(([, judged]) => judged.map(({ name, standing }) => [name, standing]));
  const digest = createHash('sha256')
    .update(JSON.stringify([sha256, choice, shown, basis]))
    .digest('hex');
  return {
    plan: { digest, ...shown },
    documents: documents.filter(isWritten).map(({ item }) => item),
    policies: policies.filter(isWritten).map(({ item, standing }) => ({ ...item, isNew: standing.is === 'new' })),
    services: served.filter(isWritten).map(({ item }) => ({ ...item, id: ids.get(item.body.name) })),
    settings: settings.filter(isWritten).map(({ item }) => item),
    groups: groups.filter(isWritten).map(({ item }) => item),
    permissions: permissions.filter(isWritten).map(({ item }) => item),
    schedules: schedules.filter(isWritten).map(({ item }) => item),
    made: history.made,
    content,
  };
}

const NAMES_MAX = 500;
const NEVER_TAKEN = [
  { kind: 'clients', count: 0, reason: 'machines stay with the project that they were enrolled in' },
  { kind: 'people', count: 0, reason: 'users, roles and tokens are never taken from a backup of a project' },
];
const FOREIGN_PEOPLE = {
  kind: 'groups',
  count: 0,
  reason:
    'another installation has made the backup: its people are not those of this one, nor are its groups and permissions',
};

/** What permissions can be given on: everything of these that is here, or will be. */
async function listThings(
  { tx, project, content }: PlanOrder,
  judged: readonly Judged<unknown>[],
): Promise<PermissionsOrder['resources']> {
  const here = new Map((await mapIds(tx, project, content)).map(({ from, to }) => [from, to]));
  return new Map(judged.map(({ item: { from }, name }) => [from, { name, id: here.get(from) }]));
}

async function judgeDocuments({ tx, keyring, project, content }: PlanOrder): Promise<Judged<RestorableDocument>[]> {
  const byVersion = Map.groupBy(content.documents, ({ body }) => body.version);
  const judged: Judged<RestorableDocument>[] = [];
  for (const version of [...byVersion.keys()].sort()) {
    const items = byVersion.get(version) ?? [];
    const scope = { project, version };
    await lockDocuments(tx, scope);
    const rows = await findDocuments(
      tx,
      scope,
      items.map(({ body }) => body),
    );
    const present = new Map(rows.map((row) => [`${row.collection}/${row.name}`, row]));
    for (const item of items) {
      const { body } = item;
      const name = `${body.version}/${body.collection}/${body.name}`;
      const row = present.get(`${body.collection}/${body.name}`);
      judged.push({ item, name, standing: row ? judge(row, isSame(row, body)) : { is: 'new' } });
    }
    function isSame(row: (typeof rows)[number], body: RestorableDocument): boolean {
      const resource = content.header.secret_free ? row.resource : fullResource(openDocument(keyring, row));
      return (
        row.type === body.type &&
        row.description === (body.description ?? null) &&
        isDeepStrictEqual(row.labels, body.labels ?? {}) &&
        isDeepStrictEqual(resource, body.resource)
      );
    }
  }
  return judged;
}

async function judgePolicies({ tx, keyring, project, content }: PlanOrder) {
  await lockPolicies(tx, project);
  const rows = await findPolicies(
    tx,
    project,
    content.policies.map(({ body }) => body.name),
  );
  const present = new Map(rows.map((row) => [row.name, row]));
  const judged: Judged<RestorablePolicy>[] = [];
  const withoutSecrets: string[] = [];
  for (const item of content.policies) {
    const { name, text, description, files = [] } = item.body;
    const row = present.get(name);
    const stored = row ? openFiles(keyring, row) : [];
    const given = new Set(files.map(({ path }) => path));
    const kept = new Set(stored.filter(({ wasSealed }) => wasSealed).map(({ path }) => path));
    const wanted = content.header.secret_free ? secretFiles(text) : [];
    if (wanted.some((path) => !given.has(path) && !kept.has(path))) {
      if (!row) withoutSecrets.push(name);
      continue;
    }
    const isSame =
      row?.text === text &&
      row.description === (description ?? null) &&
      files.every(({ path, content_base64 }) =>
        stored.some((file) => file.path === path && file.content_base64 === content_base64),
      );
    judged.push({ item, name, standing: row ? judge(row, isSame) : { is: 'new' } });
  }
  return { judged, withoutSecrets };
}

async function judgeServices({ tx, project, content }: PlanOrder) {
  const rows = await findServices(
    tx,
    project,
    content.services.map(({ body }) => body.name),
  );
  const present = new Map(rows.map((row) => [row.name, row]));
  const judged = content.services.map((item): Judged<RestorableService> => {
    const { name, version, bootstrap, listeners, policies, shield } = item.body;
    const row = present.get(name);
    const isSame =
      row?.version === version &&
      row.bootstrap === bootstrap &&
      isDeepStrictEqual(row.listeners, listeners) &&
      isDeepStrictEqual(row.policies, policies) &&
      row.shield_threads === shield.threads &&
      row.shield_xff_trusted_hops === shield.xff_trusted_hops;
    return { item, name, standing: row ? judge(row, isSame) : { is: 'new' } };
  });
  return { judged, ids: new Map(rows.map(({ id, name }) => [name, id])) };
}

async function judgeSettings({ tx, keyring, project, content }: PlanOrder): Promise<Judged<CheckedKept>[]> {
  const judged: Judged<CheckedKept>[] = [];
  for (const item of content.settings) {
    const { body: kept } = item;
    if (content.header.secret_free && kept.canBeSecret) continue;
    const found = await compareKept(tx, { project, keyring, kept });
    judged.push({ item, name: kept.label, standing: found ? judge(found, found.isSame) : { is: 'new' } });
  }
  return judged;
}
