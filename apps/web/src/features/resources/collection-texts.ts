/** The collections of resources in the order of the navigation. */
export const COLLECTION_LABELS = {
  listeners: 'Listeners',
  routes: 'Routes',
  virtual_hosts: 'Virtual hosts',
  clusters: 'Clusters',
  endpoints: 'Endpoints',
  secrets: 'Secrets',
  filters: 'Filters',
  extensions: 'Extensions',
  bootstrap: 'Bootstraps',
} as const;

export type CollectionName = keyof typeof COLLECTION_LABELS;
