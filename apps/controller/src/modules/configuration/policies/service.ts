import { isDeepStrictEqual } from 'node:util';
import { fail, failDocument, type GivenPolicyFile, type Policy } from '@flotilla/contract';
import { publish, type Tx } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import { actorName, type Reply, type RequestContext } from '../../../platform/http/context.ts';
import { requireMatch, tagOf } from '../../../platform/http/etag.ts';
import type { Keyring } from '../../../platform/keyring/index.ts';
import { diffJson } from '../documents/index.ts';
import { toComparable } from './analysis/differences.ts';
import { type PolicyContent, refuseFault, refuseField } from './analysis/model.ts';
import { requireNoClash } from './bundles.ts';
import type { PolicyViews } from './policy-views.ts';
import type { AnalysePolicies, PolicyWorker } from './policy-worker.ts';
import { encryptFiles, gatherFiles, openFiles, showFiles } from './secret-files.ts';
import {
  deletePolicy,
  type EncryptedContent,
  findPolicy,
  findRevision,
  insertPolicy,
  lockProject,
  type PolicyRow,
  updatePolicy,
} from './store.ts';
import { findPolicyUsers } from './views.ts';

export interface PolicyBody {
  readonly description?: string | null | undefined;
  readonly text?: string | undefined;
  readonly document?: Record<string, unknown> | undefined;
  readonly files?: readonly GivenPolicyFile[] | undefined;
}

export interface PolicyDeps {
  /** Encrypts secret files. */
  readonly keyring: Keyring;
  readonly reader: PolicyWorker;
  readonly views: PolicyViews;
}

export interface PolicyWrite extends PolicyDeps {
  readonly ctx: RequestContext;
}

/** Topic of changed policies: `{ project, names, service_ids }`. */
const POLICIES_CHANGED = 'policies.changed';

export function createPolicy(write: PolicyWrite, name: string, body: PolicyBody): Promise<Reply> {
  return change(write, name, (before) => {
    if (before) throw fail('record.exists', { kind: 'policy', name });
    return toContent(write, body, NOTHING);
  });
}

export function replacePolicy(write: PolicyWrite, name: string, body: PolicyBody): Promise<Reply> {
  return change(write, name, (before) => {
    const kept = openFiles(write.keyring, requireFound(before, name));
    return toContent(write, body, { ...NOTHING, kept });
  });
}

export function patchPolicy(write: PolicyWrite, name: string, body: PolicyBody): Promise<Reply> {
  return change(write, name, (before) => {
    const { id, description, text, files } = requireFound(before, name);
    return toContent(write, body, {
      description,
      text,
      files: showFiles(files),
      kept: openFiles(write.keyring, { id, files }),
    });
  });
}

export function restorePolicy(write: PolicyWrite, name: string, revision: number): Promise<Reply> {
  return change(write, name, async (before, tx) => {
    const { id } = requireFound(before, name);
    const row = await findRevision(tx, id, revision);
    if (!row) throw fail('record.not_found', { kind: 'revision', name: revision });
    const { description, text, files } = row;
    return { description, text, files: openFiles(write.keyring, { id, files }) };
  });
}

export async function removePolicy(ctx: RequestContext, name: string): Promise<Reply> {
  return ctx.write(async (tx) => {
    await lockProject(tx, ctx.project.id);
    const row = requireFound(await findPolicy(tx, ctx.project.id, name), name);
    requireMatch(ctx, 'policy', row);
    const users = await findPolicyUsers(tx, ctx.project.id, name);
    if (users.length > 0) {
      const extra = { users: users.map((user) => ({ collection: 'services', id: user.id, name: user.name })) };
      throw fail('record.in_use', { kind: 'policy', name }, { extra });
    }
    await deletePolicy(tx, row.id);
    const audit = { type: 'policy', id: row.id, name, changes: { deleted: true, digest: row.digest } };
    return { reply: {}, audit };
  });
}

async function change(
  write: PolicyWrite,
  name: string,
  decide: (before: PolicyRow | undefined, tx: Tx) => PolicyContent | Promise<PolicyContent>,
): Promise<Reply> {
  const { ctx, keyring, views } = write;
  const read = readerOf(write);
  return ctx.write(async (tx) => {
    await lockProject(tx, ctx.project.id);
    const before = await findPolicy(tx, ctx.project.id, name);
    if (before) requireMatch(ctx, 'policy', before);
    const { content, secrets, bodyCap, replacedKeys } = await check(write, name, await decide(before, tx));
    const users = await findPolicyUsers(tx, ctx.project.id, name);
    const changed = { name, text: content.text, files: content.files };
    await requireNoClash({ tx, keyring, read }, ctx.project.id, { changed, bodyCap, users });
    const stamp = { at: ctx.now, by: actorName(ctx) };
    const id = before?.id ?? createId(ctx.now.getTime());
    const files = encryptFiles(
      keyring,
      { id, secrets },
      { files: content.files, before: before?.files ?? [], at: ctx.now },
    );
    const stored = { content: { ...content, files }, stamp };
    const unchanged = before && isSame(before, stored.content) ? before : undefined;
    const row =
      unchanged ??
      (before
        ? await updatePolicy(tx, id, stored)
        : await insertPolicy(tx, { id, project: ctx.project.id, name }, stored));
    if (!unchanged) {
      const payload = { project: ctx.project.id, names: [name], service_ids: users.map(({ id }) => id) };
      await publish(tx, POLICIES_CHANGED, payload, ctx.now);
    }
    const compared = [before && toComparable(before), toComparable(row)] as const;
    const body: Policy = {
      ...(await views.policyOf(row, users, read)),
      ...(ctx.dryRun && { diff: diffJson(...compared) }),
      replaced_keys: replacedKeys,
    };
    const changes = {
      revision: row.revision,
      digest: { before: before?.digest ?? null, after: row.digest },
      ...(await read(ctx.project.id, 'differences', name, ...compared)),
    };
    return {
      reply: { body, etag: tagOf(row), location: `/api/v3/shield/policies/${name}` },
      audit: { type: 'policy', id: row.id, name, changes },
      isUnchanged: unchanged !== undefined,
    };
  });
}

/**
 * Checks the policy and prepares it for storage, without encryption. Throws policy.invalid with every problem and its
 * line.
 */
async function check(write: PolicyWrite, name: string, { description, text, files }: PolicyContent) {
  const checked = await readerOf(write)(write.ctx.project.id, 'check', name, { text, files });
  if (!checked.ok) throw refuseFault(checked.error);
  const { digest, replaced, ...found } = checked.value;
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const content = { description, text: replaced?.text ?? text, files: sorted, digest };
  return { ...found, content, replacedKeys: replaced?.keys ?? 0 };
}

/** The values that a body without them keeps. */
interface Underlay {
  readonly description: string | null;
  readonly text: string | undefined;
  readonly files: readonly GivenPolicyFile[];
  /** The stored files, which may contain secrets. */
  readonly kept: PolicyContent['files'];
}

const NOTHING: Underlay = { description: null, text: undefined, files: [], kept: [] };

async function toContent(write: PolicyWrite, body: PolicyBody, before: Underlay): Promise<PolicyContent> {
  if (body.text !== undefined && body.document !== undefined) {
    throw refuseField({
      path: 'document',
      rule: 'exclusive',
      message: 'cannot be combined with text: give one of them',
    });
  }
  const read = readerOf(write);
  const project = write.ctx.project.id;
  const written = body.document === undefined ? body.text : await read(project, 'text', body.document);
  const text = written ?? before.text;
  if (text === undefined) {
    const detail = { path: 'text', rule: 'required', message: 'give the policy as text or as document' };
    throw failDocument('policy.invalid', { reason: detail.message }, { details: [detail] });
  }
  const description = body.description === undefined ? before.description : body.description;
  const files = body.files ?? before.files;
  // Parsing a large text takes a second, so it is skipped if no file depends on it.
  if (files.length === 0 && before.kept.length === 0) return { description, text, files: [] };
  const gathered = gatherFiles(await read(project, 'names', text), files, before.kept);
  if ('violation' in gathered) throw refuseField(gathered.violation);
  return { description, text, files: gathered.files };
}

function readerOf({ reader, ctx }: PolicyWrite): AnalysePolicies {
  return reader.within(ctx.prepare);
}

/** A secret whose content was sent again and is unchanged keeps its encrypted value. */
function isSame(before: PolicyRow, after: EncryptedContent): boolean {
  const contentOf = ({ description, text, digest, files }: PolicyRow | EncryptedContent) => ({
    description,
    text,
    digest,
    files,
  });
  return isDeepStrictEqual(contentOf(before), contentOf(after));
}

function requireFound(row: PolicyRow | undefined, name: string): PolicyRow {
  if (!row) throw fail('record.not_found', { kind: 'policy', name });
  return row;
}
