import { isDeepStrictEqual } from 'node:util';
import { fail, failDocument, type GivenPolicyFile, type Policy } from '@flotilla/contract';
import { publish, type Tx } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import { actorName, type Reply, type RequestContext } from '../../http/context.ts';
import { requireMatch, tagOf } from '../../http/etag.ts';
import { diffJson } from '../documents/index.ts';
import type { Keyring } from '../keyring/index.ts';
import { requireNoClash } from './bundles.ts';
import { diffPolicies, toComparable } from './differences.ts';
import { checkPolicy, hostsOf, type PolicyContent, refuseField, textOf } from './model.ts';
import { gatherFiles, openFiles, sealFiles, showFiles } from './secret-files.ts';
import {
  findPolicy,
  findPolicyUsers,
  insertPolicy,
  lockPolicies,
  type PolicyRow,
  type SealedContent,
  updatePolicy,
} from './store.ts';

export interface PolicyBody {
  readonly description?: string | null | undefined;
  readonly text?: string | undefined;
  readonly document?: Record<string, unknown> | undefined;
  readonly files?: readonly GivenPolicyFile[] | undefined;
}

/** A request that writes policies, and what their secrets are sealed with. */
export interface PolicyWrite {
  readonly ctx: RequestContext;
  readonly keyring: Keyring;
}

/** Topic of changed policies: `{ project, names, service_ids }`. */
const POLICIES_CHANGED = 'policies.changed';

export function createPolicy(write: PolicyWrite, name: string, body: PolicyBody): Promise<Reply> {
  return change(write, name, (before) => {
    if (before) throw fail('record.exists', { kind: 'policy', name });
    return toContent(body, NOTHING);
  });
}

export function replacePolicy(write: PolicyWrite, name: string, body: PolicyBody): Promise<Reply> {
  return change(write, name, (before) => {
    const kept = openFiles(write.keyring, requireFound(before, name));
    return toContent(body, { ...NOTHING, kept });
  });
}

export function patchPolicy(write: PolicyWrite, name: string, body: PolicyBody): Promise<Reply> {
  return change(write, name, (before) => {
    const { id, description, text, files } = requireFound(before, name);
    return toContent(body, {
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
    const row = await tx
      .selectFrom('policy_revisions')
      .selectAll()
      .where('policy_id', '=', id)
      .where('revision', '=', revision)
      .executeTakeFirst();
    if (!row) throw fail('record.not_found', { kind: 'revision', name: revision });
    const { description, text, files } = row;
    return { description, text, files: openFiles(write.keyring, { id, files }) };
  });
}

export async function removePolicy(ctx: RequestContext, name: string): Promise<Reply> {
  return ctx.write(async (tx) => {
    await lockPolicies(tx, ctx.project.id);
    const row = requireFound(await findPolicy(tx, ctx.project.id, name), name);
    requireMatch(ctx, 'policy', row);
    const users = await findPolicyUsers(tx, ctx.project.id, name);
    if (users.length > 0) {
      const extra = { users: users.map((user) => ({ collection: 'services', id: user.id, name: user.name })) };
      throw fail('record.in_use', { kind: 'policy', name }, { extra });
    }
    await tx.deleteFrom('policies').where('id', '=', row.id).execute();
    const audit = { type: 'policy', id: row.id, name, changes: { deleted: true, digest: row.digest } };
    return { reply: {}, audit };
  });
}

async function change(
  { ctx, keyring }: PolicyWrite,
  name: string,
  decide: (before: PolicyRow | undefined, tx: Tx) => PolicyContent | Promise<PolicyContent>,
): Promise<Reply> {
  return ctx.write(async (tx) => {
    await lockPolicies(tx, ctx.project.id);
    const before = await findPolicy(tx, ctx.project.id, name);
    if (before) requireMatch(ctx, 'policy', before);
    const content = checkPolicy(name, await decide(before, tx));
    const users = await findPolicyUsers(tx, ctx.project.id, name);
    await requireNoClash({ tx, keyring }, ctx.project.id, { changed: { name, ...content }, users });
    const stamp = { at: ctx.now, by: actorName(ctx) };
    const id = before?.id ?? createId(ctx.now.getTime());
    const files = sealFiles(
      keyring,
      { id, text: content.text },
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
    const body: Policy = {
      ...toPolicy(row),
      ...(ctx.dryRun && { diff: diffJson(toComparable(before), toComparable(row)) }),
      replaced_keys: content.replacedKeys,
      services: users.map((user) => ({ id: user.id, name: user.name })),
    };
    const changes = {
      revision: row.revision,
      digest: { before: before?.digest ?? null, after: row.digest },
      ...diffPolicies(before, row),
    };
    return {
      reply: { body, etag: tagOf(row), location: `/api/v3/shield/policies/${name}` },
      audit: { type: 'policy', id: row.id, name, changes },
      isUnchanged: unchanged !== undefined,
    };
  });
}

/** What a body is laid over. */
interface Underlay {
  readonly description: string | null;
  readonly text: string | undefined;
  readonly files: readonly GivenPolicyFile[];
  /** Files that are stored, for the secrets among them. */
  readonly kept: PolicyContent['files'];
}

const NOTHING: Underlay = { description: null, text: undefined, files: [], kept: [] };

function toContent(body: PolicyBody, before: Underlay): PolicyContent {
  const text = textOf(body) ?? before.text;
  if (text === undefined) {
    const detail = { path: 'text', rule: 'required', message: 'give the policy as text or as document' };
    throw failDocument('policy.invalid', { reason: detail.message }, { details: [detail] });
  }
  const description = body.description === undefined ? before.description : body.description;
  const gathered = gatherFiles(text, body.files ?? before.files, before.kept);
  if ('violation' in gathered) throw refuseField(gathered.violation);
  return { description, text, files: gathered.files };
}

/** A secret whose content was given again is sealed as it was. */
function isSame(before: PolicyRow, after: SealedContent): boolean {
  const contentOf = ({ description, text, digest, files }: PolicyRow | SealedContent) => ({
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

export function toSummary(row: PolicyRow) {
  return {
    id: row.id,
    name: row.name,
    project: row.project_id,
    description: row.description,
    digest: row.digest,
    hosts: hostsOf(row.name, row.text),
    revision: row.revision,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    updated_by: row.updated_by,
  };
}

export function toPolicy(row: PolicyRow): Policy {
  return { ...toSummary(row), text: row.text, files: showFiles(row.files) };
}
