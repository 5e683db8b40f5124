import type { DocumentComment } from '@flotilla/contract';
import type { JsonObject } from '../../forms/index.ts';

/** Comments about a resource, and the resource that they belong to. */
export interface Commented {
  readonly resource: JsonObject;
  readonly comments: readonly DocumentComment[];
  /** The YAML as the user typed it; undefined if they did not. */
  readonly text?: string;
}

/** A document during editing. */
export interface ResourceDraft {
  readonly resource: JsonObject;
  /** The text of the code view while it is invalid: the resource is then the last valid one. */
  readonly brokenText?: {
    readonly language: 'json' | 'yaml';
    readonly text: string;
    /** Whether the text is not parsed yet, because the user is typing. */
    readonly isUnread?: boolean;
  };
  /**
   * The YAML with its comments. Its resource may be older: later changes by the form are applied when it is shown or saved (`comments/`).
   * undefined: there are no comments.
   */
  readonly commented?: Commented;
  readonly description: string;
  /** Each is `key=value`. */
  readonly labels: readonly string[];
}

interface StoredContent {
  readonly resource: Readonly<Record<string, unknown>>;
  readonly description: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly comments?: readonly DocumentComment[] | undefined;
}

export function toDraft(stored: StoredContent): ResourceDraft {
  const resource = stored.resource as JsonObject;
  return {
    resource,
    ...(stored.comments && stored.comments.length > 0 && { commented: { resource, comments: stored.comments } }),
    description: stored.description ?? '',
    labels: Object.entries(stored.labels).map(([key, value]) => `${key}=${value}`),
  };
}

/** Returns the fields of the write's body that the draft has, without comments. */
export function toBody(draft: ResourceDraft) {
  return {
    resource: draft.resource,
    description: draft.description.trim() || null,
    labels: Object.fromEntries(
      draft.labels.map((label) => {
        const at = label.indexOf('=');
        return at < 0 ? [label, ''] : [label.slice(0, at), label.slice(at + 1)];
      }),
    ),
  };
}

/** Returns the draft as one JSON text, to merge concurrent edits. Call `settleComments` first. */
export function toMergeText(draft: ResourceDraft): string {
  const { resource, description, labels } = toBody(draft);
  const comments = Object.fromEntries(
    (draft.commented?.comments ?? []).map(({ path, place, text }) => [`${place} ${JSON.stringify(path)}`, text]),
  );
  const parts = { description, labels, resource, ...(Object.keys(comments).length > 0 && { comments }) };
  return `${JSON.stringify(parts, null, 2)}\n`;
}

/** Parses the text of `toMergeText`; undefined if it is not such a document. */
export function fromMergeText(text: string): ResourceDraft | undefined {
  const value: unknown = JSON.parse(text);
  if (!isObject(value) || !isObject(value.resource)) return undefined;
  const labels = isObject(value.labels) ? (value.labels as Record<string, string>) : {};
  const description = typeof value.description === 'string' ? value.description : null;
  const comments = isObject(value.comments) ? Object.entries(value.comments).flatMap(toComment) : [];
  return toDraft({ resource: value.resource, description, labels, comments });
}

function toComment([where, text]: [string, unknown]): DocumentComment[] {
  const [, place, path] = /^(above|beside|below) (\[.*\])$/.exec(where) ?? [];
  if (place === undefined || path === undefined || typeof text !== 'string') return [];
  return [{ path: JSON.parse(path), place, text } as DocumentComment];
}

/** Whether there is nothing to save. */
export function isSameDraft(a: ResourceDraft, b: ResourceDraft): boolean {
  return a === b || (a.brokenText === undefined && b.brokenText === undefined && toMergeText(a) === toMergeText(b));
}

const NAMELESS = new Set(['bootstrap', 'filters', 'extensions']);

/** Returns the field for the document's own name and its value; undefined if the message has none. */
export function ownNameOf(collection: string, name: string): { field: string; name: string } | undefined {
  if (NAMELESS.has(collection)) return undefined;
  return {
    field: collection === 'endpoints' ? 'cluster_name' : 'name',
    name: collection === 'virtual_hosts' ? (name.split('/')[1] ?? name) : name,
  };
}

/** Returns the same resource with another name. */
export function rename(resource: JsonObject, collection: string, name: string): JsonObject {
  const own = ownNameOf(collection, name);
  return own && own.field in resource ? { ...resource, [own.field]: own.name } : resource;
}

/** Returns the document's name after an edit: a name written in the resource is adopted. */
export function followName(name: string, collection: string, before: JsonObject, after: JsonObject): string {
  const own = ownNameOf(collection, name);
  const written = own && after[own.field];
  if (typeof written !== 'string' || written === before[own?.field ?? '']) return name;
  return collection === 'virtual_hosts' && name.includes('/') ? `${name.split('/')[0]}/${written}` : written;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
