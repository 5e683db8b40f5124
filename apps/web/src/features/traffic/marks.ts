import type { AuditEntryView, Overview } from '@flotilla/contract';
import { auditActions } from '../../changes/action-texts.ts';
import { texts } from './texts.tsx';
import type { TimeWindow } from './time-window.ts';

const text = texts.marks;

/** A change of the configuration, or a command such as a deployment. */
export interface Change {
  readonly id: string;
  readonly at: string;
  readonly actor: string;
  /** Predicate of the actor: `changed cluster web`. */
  readonly words: string;
}

/** Actions on what proxies run. Others, such as sign-ins, do not change traffic. */
const EFFECTIVE = /^(document|policy|service|command|client|publish)[._]/;

export function fromAudit(entries: readonly AuditEntryView[]): Change[] {
  return entries
    .filter(({ action, outcome }) => outcome === 'done' && EFFECTIVE.test(action))
    .map(({ id, at, actor, action, resource }) => ({
      id,
      at,
      actor: actor.name ?? text.someone,
      words: [auditActions.did(action, resource.type), resource.name].filter(Boolean).join(' '),
    }));
}

/** For users who may not read the audit log: the newest changes of documents and policies, within the window. */
export function fromRecent(recent: Overview['recent'], { from, to }: TimeWindow): Change[] {
  return recent.flatMap((change) => {
    if (change.at < from || change.at >= to || change.kind === 'audit') return [];
    const type = change.kind === 'policy' ? change.kind : (change.collection ?? 'document');
    const words = auditActions.did(`${change.kind}.replace`, type);
    return [{ id: change.id, at: change.at, actor: change.actor, words: `${words} ${change.name}` }];
  });
}
