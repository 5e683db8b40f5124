import type { JsonObject } from '../../forms/index.ts';

/** A document while it is being edited. */
export interface ResourceDraft {
  readonly resource: JsonObject;
  /** Of the code view, as long as it cannot be read: the resource is then the last that could. */
  readonly brokenText?: {
    readonly language: 'json' | 'yaml';
    readonly text: string;
    /** Not tried yet: somebody is writing it. */
    readonly isUnread?: boolean;
  };
  readonly description: string;
  /** `key=value` */
  readonly labels: readonly string[];
}

interface StoredContent {
  readonly resource: Readonly<Record<string, unknown>>;
  readonly description: string | null;
  readonly labels: Readonly<Record<string, string>>;
}

export function toDraft(stored: StoredContent): ResourceDraft {
  return {
    resource: stored.resource as JsonObject,
    description: stored.description ?? '',
    labels: Object.entries(stored.labels).map(([key, value]) => `${key}=${value}`),
  };
}

/** The part of a write's body that the draft says. */
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

/** As one JSON text, for people who edited the same document at the same time. */
export function toMergeText(draft: ResourceDraft): string {
  const { resource, description, labels } = toBody(draft);
  return `${JSON.stringify({ description, labels, resource }, null, 2)}\n`;
}

/** The reverse. Undefined where the text is no such document. */
export function fromMergeText(text: string): ResourceDraft | undefined {
  const value: unknown = JSON.parse(text);
  if (!isObject(value) || !isObject(value.resource)) return undefined;
  const labels = isObject(value.labels) ? (value.labels as Record<string, string>) : {};
  const description = typeof value.description === 'string' ? value.description : null;
  return toDraft({ resource: value.resource, description, labels });
}

/** Whether there is anything to save. */
export function isSameDraft(a: ResourceDraft, b: ResourceDraft): boolean {
  return a === b || (a.brokenText === undefined && b.brokenText === undefined && toMergeText(a) === toMergeText(b));
}

const NAMELESS = new Set(['bootstrap', 'filters', 'extensions']);

/** The field that says the document's own name, and what it says in one of that name. Undefined: the message has none. */
export function ownNameOf(collection: string, name: string): { field: string; name: string } | undefined {
  if (NAMELESS.has(collection)) return undefined;
  return {
    field: collection === 'endpoints' ? 'cluster_name' : 'name',
    name: collection === 'virtual_hosts' ? (name.split('/')[1] ?? name) : name,
  };
}

/** The same resource under another name. */
export function rename(resource: JsonObject, collection: string, name: string): JsonObject {
  const own = ownNameOf(collection, name);
  return own && own.field in resource ? { ...resource, [own.field]: own.name } : resource;
}

/** The document's name after the resource was edited: one that was written in it is taken over. */
export function followName(name: string, collection: string, before: JsonObject, after: JsonObject): string {
  const own = ownNameOf(collection, name);
  const written = own && after[own.field];
  if (typeof written !== 'string' || written === before[own?.field ?? '']) return name;
  return collection === 'virtual_hosts' && name.includes('/') ? `${name.split('/')[0]}/${written}` : written;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
