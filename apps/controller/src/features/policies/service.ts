import { Buffer } from 'node:buffer';
import { fail, failDocument, type Policy } from '@flotilla/contract';
import { type Db, publish, type Tx } from '@flotilla/db';
import { createId, type Violation } from '@flotilla/kit';
import { digestBundle } from '@flotilla/policy';
import { actorName, type Reply, type RequestContext } from '../../http/context.ts';
import { requireMatch } from '../../http/etag.ts';
import { diffJson } from '../documents/index.ts';
import {
  checkPolicy,
  fileNameOf,
  findBundleProblems,
  hostsOf,
  type PolicyContent,
  textOf,
  toBundleFiles,
} from './model.ts';
import {
  findPolicies,
  findPolicy,
  findPolicyUsers,
  insertPolicy,
  lockPolicies,
  type PolicyRow,
  updatePolicy,
} from './store.ts';

export interface PolicyBody {
  readonly description?: string | null | undefined;
  readonly text?: string | undefined;
  readonly document?: Record<string, unknown> | undefined;
  readonly files?: readonly { path: string; content_base64: string }[] | undefined;
}

/** Topic of changed policies: `{ project, names, service_ids }`. */
const POLICIES_CHANGED = 'policies.changed';

export function createPolicy(ctx: RequestContext, name: string, body: PolicyBody): Promise<Reply> {
  return change(ctx, name, (before) => {
    if (before) throw fail('record.exists', { kind: 'policy', name });
    return toContent(body, { description: null, text: undefined, files: [] });
  });
}

export function replacePolicy(ctx: RequestContext, name: string, body: PolicyBody): Promise<Reply> {
  return change(ctx, name, (before) => {
    requireFound(before, name);
    return toContent(body, { description: null, text: undefined, files: [] });
  });
}

export function patchPolicy(ctx: RequestContext, name: string, body: PolicyBody): Promise<Reply> {
  return change(ctx, name, (before) => toContent(body, requireFound(before, name)));
}

export function restorePolicy(ctx: RequestContext, name: string, revision: number): Promise<Reply> {
  return change(ctx, name, async (before, tx) => {
    const { id } = requireFound(before, name);
    const row = await tx
      .selectFrom('policy_revisions')
      .selectAll()
      .where('policy_id', '=', id)
      .where('revision', '=', revision)
      .executeTakeFirst();
    if (!row) throw fail('record.not_found', { kind: 'revision', name: revision });
    return row;
  });
}

export async function removePolicy(ctx: RequestContext, name: string): Promise<Reply> {
  return ctx.write(async (tx) => {
    await lockPolicies(tx, ctx.project.id);
    const row = requireFound(await findPolicy(tx, ctx.project.id, name), name);
    requireMatch(ctx, 'policy', row.revision);
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
  ctx: RequestContext,
  name: string,
  decide: (before: PolicyRow | undefined, tx: Tx) => PolicyContent | Promise<PolicyContent>,
): Promise<Reply> {
  return ctx.write(async (tx) => {
    await lockPolicies(tx, ctx.project.id);
    const before = await findPolicy(tx, ctx.project.id, name);
    if (before) requireMatch(ctx, 'policy', before.revision);
    const content = checkPolicy(name, await decide(before, tx));
    const users = await findPolicyUsers(tx, ctx.project.id, name);
    await requireNoClash(tx, ctx.project.id, { name, ...content }, users);
    const stamp = { at: ctx.now, by: actorName(ctx) };
    const row = before
      ? await updatePolicy(tx, before.id, { content, stamp })
      : await insertPolicy(tx, { id: createId(ctx.now.getTime()), project: ctx.project.id, name }, { content, stamp });
    const payload = { project: ctx.project.id, names: [name], service_ids: users.map(({ id }) => id) };
    await publish(tx, POLICIES_CHANGED, payload, ctx.now);
    const body: Policy = {
      ...toPolicy(row),
      ...(ctx.dryRun && { diff: diffJson(toComparable(before), toComparable(row)) }),
      replaced_keys: content.replacedKeys,
      services: users.map((user) => ({ id: user.id, name: user.name })),
    };
    const changes = { revision: row.revision, digest: { before: before?.digest ?? null, after: row.digest } };
    return {
      reply: { body, etag: row.revision, location: `/api/v3/shield/policies/${name}?project=${ctx.project.id}` },
      audit: { type: 'policy', id: row.id, name, changes },
    };
  });
}

/** Every service that uses the policy must still be able to run it beside its others. */
async function requireNoClash(
  tx: Tx,
  project: string,
  changed: { name: string; text: string; files: PolicyContent['files'] },
  users: Awaited<ReturnType<typeof findPolicyUsers>>,
): Promise<void> {
  for (const service of users) {
    const others = await findPolicies(
      tx,
      project,
      service.policies.filter((other) => other !== changed.name),
    );
    const [problem] = findBundleProblems([...others, changed]);
    if (!problem) continue;
    throw failDocument(
      'policy.clash',
      { service: service.name, reason: `${problem.file}:${problem.line}: ${problem.message}` },
      { details: [{ path: problem.field, rule: problem.rule, message: problem.message }] },
    );
  }
}

/** For services: problems of using these policies together, by the path in the service's document. */
export async function checkPoliciesTogether(tx: Tx, project: string, names: readonly string[]): Promise<Violation[]> {
  const rows = await findPolicies(tx, project, names);
  const byName = new Map(rows.map((row) => [row.name, row]));
  const missing = names.flatMap((name, i): Violation[] =>
    byName.has(name)
      ? []
      : [{ path: `policies[${i}]`, rule: 'reference.missing', message: `there is no policy ${name} in this project` }],
  );
  if (missing.length > 0) return missing;
  const files = new Map(names.map((name, i) => [fileNameOf(name), i]));
  return findBundleProblems(names.flatMap((name) => byName.get(name) ?? [])).map((problem) => ({
    path: `policies[${files.get(problem.file) ?? 0}]`,
    rule: problem.rule,
    message: `${problem.file}:${problem.line}:${problem.field}: ${problem.message}`,
  }));
}

export interface PolicyBundle {
  /** What the filter reports once it runs the bundle. */
  readonly digest: string;
  readonly files: readonly { readonly path: string; readonly content: Buffer }[];
}

/** What a service's filter runs; undefined for a service without policies. */
export async function buildPolicyBundle(
  db: Db,
  project: string,
  names: readonly string[],
): Promise<PolicyBundle | undefined> {
  if (names.length === 0) return undefined;
  const rows = await findPolicies(db, project, names);
  const files = toBundleFiles(rows).map(({ path, content }) => ({ path, content: Buffer.from(content) }));
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { digest: digestBundle(files), files };
}

/** What people compare of a policy; files by name and size, since they may be large. */
function toComparable(row: PolicyRow | undefined) {
  return (
    row && {
      description: row.description,
      text: row.text,
      files: row.files.map(
        ({ path, content_base64 }) => `${path} (${Buffer.byteLength(content_base64, 'base64')} bytes)`,
      ),
    }
  );
}

function toContent(
  body: PolicyBody,
  before: { description: string | null; text: string | undefined; files: PolicyContent['files'] },
): PolicyContent {
  const text = textOf(body) ?? before.text;
  if (text === undefined) {
    const detail = { path: 'text', rule: 'required', message: 'give the policy as text or as document' };
    throw failDocument('policy.invalid', { reason: detail.message }, { details: [detail] });
  }
  const description = body.description === undefined ? before.description : body.description;
  return { description, text, files: body.files ?? before.files };
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
  return { ...toSummary(row), text: row.text, files: row.files };
}
