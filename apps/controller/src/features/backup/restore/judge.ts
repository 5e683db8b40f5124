import { isDeepStrictEqual } from 'node:util';
import type { Tx } from '@flotilla/db';
import { secretFiles } from '@flotilla/policy';
import { findDocuments, fullResource, lockDocuments, openDocument } from '../../documents/index.ts';
import type { Keyring } from '../../keyring/index.ts';
import { findPolicies, lockPolicies, openFiles } from '../../policies/index.ts';
import { type CheckedKept, compareKept } from '../../settings/index.ts';
import { findServices } from '../project-store.ts';
import {
  nameDocument,
  type ProjectContent,
  type RestorableDocument,
  type RestorablePolicy,
  type RestorableService,
} from './content.ts';
import { type Judged, judge } from './standing.ts';

interface JudgeOrder {
  readonly tx: Tx;
  readonly keyring: Keyring;
  readonly project: string;
  readonly content: ProjectContent;
}

export async function judgeDocuments({
  tx,
  keyring,
  project,
  content,
}: JudgeOrder): Promise<Judged<RestorableDocument>[]> {
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
      const name = nameDocument(body);
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

export async function judgePolicies({ tx, keyring, project, content }: JudgeOrder) {
  await lockPolicies(tx, project);
  const rows = await findPolicies(
    tx,
    project,
    content.policies.map(({ body }) => body.name),
  );
  const present = new Map(rows.map((row) => [row.name, row]));
  const judged: Judged<RestorablePolicy>[] = [];
  const withoutSecrets: string[] = [];
  const bare = new Set<string>();
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
    if (wanted.some((path) => !given.has(path))) bare.add(name);
    const isSame =
      row?.text === text &&
      row.description === (description ?? null) &&
      files.every(({ path, content_base64 }) =>
        stored.some((file) => file.path === path && file.content_base64 === content_base64),
      );
    judged.push({ item, name, standing: row ? judge(row, isSame) : { is: 'new' } });
  }
  return { judged, withoutSecrets, bare };
}

export async function judgeServices({ tx, project, content }: JudgeOrder) {
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

export async function judgeSettings({ tx, keyring, project, content }: JudgeOrder): Promise<Judged<CheckedKept>[]> {
  const judged: Judged<CheckedKept>[] = [];
  for (const item of content.settings) {
    const { body: kept } = item;
    if (content.header.secret_free && kept.canBeSecret) continue;
    const found = await compareKept(tx, { project, keyring, kept });
    judged.push({ item, name: kept.label, standing: found ? judge(found, found.isSame) : { is: 'new' } });
  }
  return judged;
}
