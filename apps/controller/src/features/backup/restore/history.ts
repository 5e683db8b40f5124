import { Buffer } from 'node:buffer';
import type { StoredPolicyFile, Tx } from '@flotilla/db';
import { sealParts } from '../../documents/index.ts';
import { type Keyring, sealContexts } from '../../keyring/index.ts';
import type { ProjectContent } from './content.ts';
import type { DocumentRevision, PolicyRevision } from './history-rows.ts';
import { insertDocumentRevisions, insertPolicyRevisions, renumber } from './history-store.ts';
import type { IdMapping } from './ids.ts';
import type { Decided } from './standing.ts';

/** What of the history of a backup is taken: that of things that are made. What is here has one of its own. */
export function judgeHistory(
  { history, isOwn }: Pick<ProjectContent, 'history' | 'isOwn'>,
  things: { readonly documents: readonly Decided<unknown>[]; readonly policies: readonly Decided<unknown>[] },
) {
  const made = (kind: 'documents' | 'policies') =>
    things[kind].flatMap((one) => (hasHistory(one) ? [`${kind}/${one.name}`] : []));
  const earlier = (kind: 'documents' | 'policies') =>
    things[kind].flatMap((one) =>
      earlierOf<{ readonly revision: number }>(history[kind], one.item.from).map(({ revision }) => ({
        name: `${kind}/${one.name} ${revision}`,
        one,
      })),
    );
  const all = [...earlier('documents'), ...earlier('policies')];
  const taken = isOwn ? all.filter(({ one }) => hasHistory(one)) : [];
  const renamed = isOwn ? all.filter(({ one }) => one.was !== undefined) : [];
  const standing = isOwn ? all.filter(({ one }) => one.standing.is === 'other' && one.was === undefined) : [];
  return {
    made: new Set([...made('documents'), ...made('policies')]),
    names: taken.map(({ name }) => name),
    notTaken: [
      { count: standing.length, reason: 'what is here by the same name keeps the history that it has' },
      { count: renamed.length, reason: 'what is renamed begins anew: they are of the name that it had' },
      {
        count: isOwn ? 0 : all.length,
        reason: 'another installation has made the backup: they name people of that one',
      },
      { count: history.isTooLarge ? 1 : 0, reason: 'there are more of them than a restore takes' },
    ].map((one) => ({ kind: 'revisions', ...one })),
  };
}

function hasHistory({ standing, was }: Decided<unknown>): boolean {
  return standing.is === 'new' && was === undefined;
}

interface Writing {
  readonly tx: Tx;
  readonly keyring: Keyring;
  readonly content: Pick<ProjectContent, 'history' | 'isOwn'>;
}

/**
 * Puts the earlier revisions of what was just made under it, sealed for the id that it has here. The newest stays what the
 * restore wrote, by the number, the time and the hand that it had.
 */
export async function writeHistory({ tx, keyring, content }: Writing, made: readonly IdMapping[]): Promise<void> {
  if (!content.isOwn) return;
  const { documents, policies } = content.history;
  for (const { kind, from, to: id } of made) {
    if (kind !== 'documents' && kind !== 'policies') continue;
    const newest = content.history[kind].get(from)?.at(-1);
    if (!newest) continue;
    await renumber(tx, { kind, id }, newest);
    if (kind === 'documents')
      await insertDocumentRevisions(
        tx,
        earlierOf(documents, from).map((one) => sealDocument(keyring, id, one)),
      );
    else
      await insertPolicyRevisions(
        tx,
        earlierOf(policies, from).map((one) => sealPolicy(keyring, id, one)),
      );
  }
}

function earlierOf<T>(history: ReadonlyMap<string, readonly T[]>, from: string): readonly T[] {
  return (history.get(from) ?? []).slice(0, -1);
}

function sealDocument(keyring: Keyring, id: string, { sealed: parts, ...revision }: DocumentRevision) {
  return {
    ...revision,
    document_id: id,
    labels: JSON.stringify(revision.labels),
    resource: JSON.stringify(revision.resource),
    private: JSON.stringify(revision.private),
    sealed: sealParts(keyring, id, parts),
  };
}

function sealPolicy(keyring: Keyring, id: string, { files, ...revision }: PolicyRevision) {
  const stored = files.map((file): StoredPolicyFile => {
    if (!('open_base64' in file)) return file;
    const { open_base64: open, ...more } = file;
    const sealed = keyring.seal(Buffer.from(open, 'base64'), sealContexts.policyFile(id, file.path));
    return { ...more, sealed_base64: sealed.toString('base64') };
  });
  return { ...revision, policy_id: id, files: JSON.stringify(stored) };
}
