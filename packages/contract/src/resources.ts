/** Kinds of things that a permission may be given on. What only owners and admins reach needs none. */
export const RESOURCE_KINDS = ['document', 'policy', 'service', 'client'] as const;
export type ResourceKind = (typeof RESOURCE_KINDS)[number];

/** What a permission allows; each includes the ones before it. `use`: to refer to the thing from another. */
export const LEVELS = ['view', 'use', 'change'] as const;
export type Level = (typeof LEVELS)[number];

/** The one thing that a route is about: `param` of its path names it, within collection and version where it is a document. */
export interface ResourceNeed {
  readonly kind: ResourceKind;
  readonly level: Level;
  readonly param: string;
  readonly by: 'id' | 'name';
}
