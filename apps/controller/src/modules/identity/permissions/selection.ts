import { fail, type Level } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import { actorName, type Reply, type RequestContext } from '../../../platform/http/context.ts';
import {
  deletePermission,
  findGiven,
  findSubject,
  lockResources,
  type ResourceType,
  type Subject,
  storePermission,
} from './store.ts';

interface SelectionChange {
  readonly added?: readonly string[] | undefined;
  readonly removed?: readonly string[] | undefined;
  readonly level?: Level | undefined;
}

interface Outcome {
  readonly id: string;
  readonly outcome: 'done' | 'unchanged' | 'refused';
  readonly error?: { readonly code: string; readonly message: string };
}

/**
 * Adds and removes permissions on many resources of a type. Unknown ids are refused one by one; the rest is changed.
 * The default level is `change`, which a viewer's role reduces to `view`.
 */
export function changeSelection(
  ctx: RequestContext,
  { subject, type }: { subject: Subject; type: ResourceType },
  { added = [], removed = [], level = 'change' }: SelectionChange,
): Promise<Reply> {
  return ctx.write(async (tx) => {
    const projectId = ctx.project.id;
    const name = await findSubject(tx, projectId, subject);
    // Sorted, so that two selections cannot deadlock.
    const ids = [...new Set([...added, ...removed].map((id) => id.toLowerCase()))].sort();
    const known = await lockResources(tx, projectId, { type, ids });
    const given = new Set(added.map((id) => id.toLowerCase()));
    const results: Outcome[] = [];
    for (const id of ids) {
      const resource = { kind: type.kind, id };
      if (!known.has(id)) results.push(refuse(type, id));
      else if (given.has(id)) {
        const at = { projectId, subject, resource, level, by: actorName(ctx), at: ctx.now };
        const { before } = await storePermission(tx, { ...at, id: createId(ctx.now.getTime()) });
        results.push({ id, outcome: before === level ? 'unchanged' : 'done' });
      } else results.push({ id, outcome: (await take(tx, projectId, subject, resource)) ? 'done' : 'unchanged' });
    }
    const changed = results.filter(({ outcome }) => outcome === 'done').map(({ id }) => id);
    const changes = {
      subject: { ...subject, name },
      kind: type.kind,
      level,
      given: changed.filter((id) => given.has(id)),
      taken: changed.filter((id) => !given.has(id)),
    };
    const audit = { type: 'permission', name, changes };
    return { reply: { body: { results } }, audit, isUnchanged: changed.length === 0 };
  });
}

async function take(
  tx: Tx,
  projectId: string,
  subject: Subject,
  resource: { kind: ResourceType['kind']; id: string },
): Promise<boolean> {
  const before = await findGiven(tx, projectId, subject, resource);
  if (before) await deletePermission(tx, before.id);
  return before !== undefined;
}

function refuse({ kind }: ResourceType, id: string): Outcome {
  const { code, message } = fail('record.not_found', { kind, name: id });
  return { id, outcome: 'refused', error: { code, message } };
}
