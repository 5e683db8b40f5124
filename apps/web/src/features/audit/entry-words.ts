import type { AuditEntryView } from '@flotilla/contract';
import { auditActions } from '../../changes/action-texts.ts';
import { shortenId } from '../../ui/shorten-id.ts';
import { texts } from './texts.tsx';

const text = texts.entryWords;

/** Converts `policy.create` to `Create policy`. `type`: type of the resource, if known. */
export function actionWords(action: string, type?: string | null): string {
  const words = auditActions.toDo(action, type);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Describes an entry in a few words; for a gap, how many entries are missing. */
export function entryWords({
  action,
  changes,
  resource,
}: Pick<AuditEntryView, 'action' | 'changes' | 'resource'>): string {
  const words = actionWords(action, resource.type);
  if (action !== 'audit.gap' || typeof changes !== 'object' || changes === null || !('dropped' in changes))
    return words;
  return typeof changes.dropped === 'number' ? texts.gap(changes.dropped) : words;
}

/** Returns the name of a client by its ID, or the ID itself if it is unknown. */
export type NameOf = (clientId: string) => string;

const NOBODY: Readonly<Record<string, string>> = {
  anonymous: text.anonymous,
  client: text.client,
  system: text.system,
};

export function actorName({ actor, resource }: Pick<AuditEntryView, 'actor' | 'resource'>, nameOf: NameOf): string {
  const { kind, name, id } = actor;
  // An enrolling agent is recorded by its ID, and its name is that of the new client.
  if (name !== null && name === id) return shortenId((id === resource.id && resource.name) || nameOf(id));
  return name ?? (id === null ? (NOBODY[kind] ?? kind) : shortenId(id));
}

/** Returns the name of a resource: the end of its ID if it has no name, the type of a singleton. */
export function resourceName({ type, name, id }: AuditEntryView['resource'], nameOf: NameOf): string {
  if (name !== null) return name;
  if (id !== null) return shortenId(type === 'client' ? nameOf(id) : id);
  return type === null ? '' : auditActions.noun(type);
}

/** Returns the kind that precedes the name; empty if the name already contains it. */
export function resourceKind({ type, name, id }: AuditEntryView['resource']): string {
  return type === null || (name ?? id) === null ? '' : auditActions.noun(type);
}

export interface Place {
  readonly to: string;
  readonly params: Readonly<Record<string, string>>;
}

/** Returns a link to the resource, if it has a page and may still exist. */
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

/** Returns the revision that an entry about a policy created. Its page shows the changed text. */
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
