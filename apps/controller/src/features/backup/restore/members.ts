import { failBackup, isRoleAtLeast, type Role } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import type { RequestContext } from '../../../http/context.ts';
import { insertMembership } from '../../users/index.ts';
import type { ProjectContent, Restorable } from './content.ts';
import type { IdMapping } from './ids.ts';
import { nameSome } from './people.ts';
import { findAccounts } from './people-store.ts';

export interface RestorableMember {
  readonly username: string;
  readonly role: Role;
}

interface MembersOrder {
  readonly tx: Tx;
  readonly project: string;
  readonly content: Pick<ProjectContent, 'header' | 'isOwn' | 'members'>;
  readonly isWanted: boolean;
  /** Of whoever restores; undefined for a program's token, which gives nobody a role. */
  readonly reach: Role | undefined;
}

const ELSEWHERE = 'a backup of another project makes nobody a member of this one';

/**
 * Who becomes a member again: the account of that time, by id and name, where whoever restores could give the role. Nobody who
 * is a member gets another role, and of another project's backup nobody is taken.
 */
export async function judgeMembers({ tx, project, content, isWanted, reach }: MembersOrder) {
  // Who they are is nothing that people of another project learn.
  if (!content.isOwn || content.header.project?.id !== project)
    return { made: [], notTaken: [{ kind: 'members', count: content.members.length, reason: ELSEWHERE }] };
  const accounts = await findAccounts(
    tx,
    project,
    content.members.map(({ from }) => from),
  );
  const made: Restorable<RestorableMember>[] = [];
  const left = {
    other: [] as string[],
    gone: [] as string[],
    owners: [] as string[],
    high: [] as string[],
    unasked: [] as string[],
  };
  for (const item of content.members) {
    const { username, role } = item.body;
    const account = accounts.get(item.from);
    if (account?.role !== null && account?.username === username) {
      if (account.role !== role) left.other.push(username);
    } else if (!isWanted) left.unasked.push(username);
    else if (account?.username !== username) left.gone.push(username);
    else if (account.isOwner) left.owners.push(username);
    else if (reach === undefined || !isRoleAtLeast(reach, role)) left.high.push(username);
    else made.push(item);
  }
  const notTaken = [
    { names: left.unasked, reason: 'they become members again only where that is asked for' },
    { names: left.other, reason: 'they have another role here, and keep it' },
    { names: left.gone, reason: 'there is no such account any more' },
    { names: left.owners, reason: 'they own the installation, which no restore has a say in' },
    { names: left.high, reason: 'whoever restores may not give them their role' },
  ].map(({ names, reason }) => ({ kind: 'members', count: names.length, reason: `${reason}: ${nameSome(names)}` }));
  return { made, notTaken };
}

/** As plans call it. */
export function nameMember({ username, role }: RestorableMember): string {
  return `${username} as ${role}`;
}

/** Throws backup.plan_changed for who has become a member since they were judged: nobody gets another role. Accounts are locked in the order of their ids. */
export async function writeMembers(
  { ctx, tx }: { readonly ctx: RequestContext; readonly tx: Tx },
  members: readonly Restorable<RestorableMember>[],
): Promise<IdMapping[]> {
  const projectId = ctx.project.id;
  const written: IdMapping[] = [];
  for (const { from, body } of members.toSorted((a, b) => (a.from < b.from ? -1 : 1))) {
    const { username, role } = body;
    if (!(await insertMembership(tx, { id: from, username }, { projectId, role }, ctx.now)))
      throw failBackup('backup.plan_changed');
    written.push({ kind: 'members', name: nameMember(body), from, to: from });
  }
  return written;
}
