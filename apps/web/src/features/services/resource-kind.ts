import type { Collection } from '@flotilla/contract';
import { texts } from './texts.tsx';

const text = texts.resourceKind;

/** Resource kinds, in the order in which traffic passes them. */
const KINDS = [
  {
    type: 'envoy.config.listener.v3.Listener',
    label: text.kinds.listener,
    plural: 'Listeners',
    collection: 'listeners',
  },
  {
    type: 'envoy.config.route.v3.RouteConfiguration',
    label: text.kinds.routeConfiguration,
    plural: text.kinds.routeConfigurations,
    collection: 'routes',
  },
  {
    type: 'envoy.config.route.v3.VirtualHost',
    label: text.kinds.virtualHost,
    plural: text.kinds.virtualHosts,
    collection: 'virtual_hosts',
  },
  {
    type: 'envoy.config.cluster.v3.Cluster',
    label: text.kinds.cluster,
    plural: 'Clusters',
    collection: 'clusters',
  },
  {
    type: 'envoy.config.endpoint.v3.ClusterLoadAssignment',
    label: text.kinds.endpoints,
    plural: 'Endpoints',
    collection: 'endpoints',
  },
  {
    type: 'envoy.extensions.transport_sockets.tls.v3.Secret',
    label: text.kinds.secret,
    plural: 'Secrets',
    collection: 'secrets',
  },
  {
    type: 'envoy.config.core.v3.TypedExtensionConfig',
    label: text.kinds.extension,
    plural: 'Extensions',
    collection: 'extensions',
  },
] as const satisfies readonly { type: string; label: string; plural: string; collection: Collection }[];

interface Kind {
  readonly label: string;
  readonly plural: string;
  /** Collection of documents of this type; undefined if no document describes it. */
  readonly collection: Collection | undefined;
}

/** Returns the kind of a resource. `type` is an Envoy message's full name, with or without the prefix of a type URL. */
export function toKind(type: string): Kind {
  const name = type.split('/').at(-1) ?? type;
  const short = name.split('.').at(-1) ?? name;
  return KINDS.find((kind) => kind.type === name) ?? { label: short, plural: short, collection: undefined };
}

export function compareTypes(a: string, b: string): number {
  return rank(a) - rank(b) || a.localeCompare(b);
}

function rank(type: string): number {
  const index = KINDS.findIndex((kind) => kind.type === type.split('/').at(-1));
  return index === -1 ? KINDS.length : index;
}

const COLLECTION_NOUNS: Readonly<Record<string, string>> = {
  services: 'Service',
  policies: 'Policy',
  bootstrap: 'Bootstrap',
  listeners: 'Listener',
  routes: text.collectionNouns.routes,
  virtual_hosts: text.collectionNouns.virtualHosts,
  clusters: 'Cluster',
  endpoints: 'Endpoints',
  secrets: 'Secret',
  filters: 'Filter',
  extensions: 'Extension',
};

export function toNoun(collection: string): string {
  return COLLECTION_NOUNS[collection] ?? collection;
}
