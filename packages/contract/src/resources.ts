/** Kinds of things that a permission may be given on. */
export const RESOURCE_KINDS = ['document', 'policy', 'service', 'client', 'cloud', 'backup'] as const;
export type ResourceKind = (typeof RESOURCE_KINDS)[number];

/** What a permission allows; each includes the ones before it. `use`: to refer to the thing from another. */
export const LEVELS = ['view', 'use', 'change'] as const;
export type Level = (typeof LEVELS)[number];

/** The one thing that a route is about: `param` of its path names it. */
export interface ResourceNeed {
  readonly kind: ResourceKind;
  readonly level: Level;
  readonly param: string;
  readonly by: 'id' | 'name';
}
