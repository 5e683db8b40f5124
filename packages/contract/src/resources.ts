/** Kinds of things that a permission may be given on. Things that only owners and admins access need none. */
export const RESOURCE_KINDS = ['document', 'policy', 'service', 'client'] as const;
export type ResourceKind = (typeof RESOURCE_KINDS)[number];

/** Levels of a permission; each includes the previous ones. `use`: refer to the thing from another one. */
export const LEVELS = ['view', 'use', 'change'] as const;
export type Level = (typeof LEVELS)[number];

/** The one thing that a route is about. `param` of the path names it; a document is named within its collection and version. */
export interface ResourceNeed {
  readonly kind: ResourceKind;
  readonly level: Level;
  readonly param: string;
  readonly by: 'id' | 'name';
}
