import type { AuditEntryView } from '@flotilla/contract';
import { texts } from '../../texts/index.ts';

const text = texts.audit.entryWords;

/** `policy.create` -> `policy create`, `listAuditLog` -> `list audit log`: an action as people read it. */
export function actionWords(action: string): string {
  return action
    .replaceAll(/[._]/g, ' ')
    .replaceAll(/([a-z])([A-Z])/g, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`);
}

/** What an entry is about, in a few words: of a gap, how much is not there. */
export function entryWords({ action, changes }: Pick<AuditEntryView, 'action' | 'changes'>): string {
  if (action !== 'audit.gap' || typeof changes !== 'object' || changes === null || !('dropped' in changes))
    return actionWords(action);
  return typeof changes.dropped === 'number' ? texts.audit.gap(changes.dropped) : actionWords(action);
}

const NOBODY: Readonly<Record<string, string>> = {
  anonymous: text.anonymous,
  client: text.client,
  system: text.system,
};

export function actorName({ actor, resource }: Pick<AuditEntryView, 'actor' | 'resource'>): string {
  const { kind, name, id } = actor;
  // An agent that enrols is known by its id; its name is that of the client it becomes.
  if (name !== null && name === id && id === resource.id) return resource.name ?? name;
  return name ?? id ?? NOBODY[kind] ?? kind;
}

export function resourceName({ type, name, id }: AuditEntryView['resource']): string {
  return name ?? id ?? (type === null ? '' : type.replaceAll('_', ' '));
}

export interface Place {
  readonly to: string;
  readonly params: Readonly<Record<string, string>>;
}

/** Where the thing can be looked at, if it has a page of its own and still may be there. */
export function placeOf(
  entry: Pick<AuditEntryView, 'action' | 'resource' | 'changes'>,
  project: string,
): Place | undefined {
  const { type, id, name } = entry.resource;
  if (entry.action.endsWith('.delete')) return undefined;
  if (type === 'policy' && name) return { to: '/p/$project/policies/$name', params: { project, name } };
  if (type === 'service' && id) return { to: '/p/$project/services/$serviceId', params: { project, serviceId: id } };
  if (type === 'client' && id) return { to: '/p/$project/clients/$clientId', params: { project, clientId: id } };
  if ((type === 'user' || type === 'membership') && id)
    return { to: '/p/$project/users/$userId', params: { project, userId: id } };
  const version = versionOf(entry.changes);
  if (type && DOCUMENT_TYPES.has(type) && name && version)
    return {
      to: '/p/$project/resources/$collection/$version/$name',
      params: { project, collection: type, version, name },
    };
  return undefined;
}

/** Of an entry about a policy: the revision that it made. Its page shows what that changed in the text. */
export function policyRevisionOf({
  resource,
  changes,
}: Pick<AuditEntryView, 'resource' | 'changes'>): number | undefined {
  if (resource.type !== 'policy' || typeof changes !== 'object' || changes === null || !('revision' in changes))
    return undefined;
  return typeof changes.revision === 'number' ? changes.revision : undefined;
}

const DOCUMENT_TYPES: ReadonlySet<string> = new Set([
  'bootstrap',
  'listeners',
  'routes',
  'virtual_hosts',
  'clusters',
  'endpoints',
  'secrets',
  'filters',
  'extensions',
]);

function versionOf(changes: unknown): string | undefined {
  if (typeof changes !== 'object' || changes === null || !('version' in changes)) return undefined;
  return typeof changes.version === 'string' ? changes.version : undefined;
}
