import type { JsonObject } from '@flotilla/envoy-api';
import type { DocumentCollection, DocumentKey } from './documents/collections.ts';
import type { ShieldPlacement } from './guard/connection-manager.ts';

/** A stored document with everything in it, private values included. Never changed by the translator. */
export interface SourceDocument {
  readonly collection: DocumentCollection;
  readonly name: string;
  /** Full message name. */
  readonly type: string;
  /** Equal revision of one document means equal content. */
  readonly revision: number;
  readonly resource: JsonObject;
}

/** The documents of one project and proxy version. */
export interface DocumentSource {
  get(collection: DocumentCollection, name: string): SourceDocument | undefined;
  /** Sorted by name. */
  virtualHostsOf(routes: string): readonly SourceDocument[];
}

/** A service on one client. Paths are absolute on the client's host. */
export interface NodeInput {
  readonly nodeId: string;
  /** Becomes `node.cluster`. */
  readonly serviceName: string;
  readonly bootstrap: string;
  readonly listeners: readonly string[];
  /** What the service is reached at on this client; see `CLIENT_ADDRESS`. */
  readonly addresses: readonly string[];
  /** Where Envoy dials its agent for ADS. */
  readonly xdsSocket: string;
  /** What `files/` in documents stands for. */
  readonly filesDir: string;
  /** Present when the service has policies: all its traffic passes the filter. */
  readonly shield: ShieldPlacement | undefined;
}

export interface ResourceId {
  readonly typeUrl: string;
  readonly name: string;
}

export interface TranslatedResource extends ResourceId {
  /** Full message name. */
  readonly type: string;
  readonly bytes: Uint8Array;
  /** What the bytes refer to and Envoy needs first; may name static clusters of the bootstrap, which are no resources. */
  readonly dependsOn: readonly ResourceId[];
  /** The document it was made of; undefined for what the translator adds. */
  readonly document: DocumentKey | undefined;
  /** Further documents whose content is in the bytes: put in place of references, or virtual hosts. */
  readonly parts: readonly string[];
}

/** One thing that keeps a part of a document from reaching its node; everything else goes out all the same. */
export interface TranslationError {
  readonly document: DocumentKey;
  /** JSON path inside the resource. */
  readonly path: string;
  readonly rule: string;
  readonly message: string;
}

/** Whether requests of one connection manager may pass without the filter where no policy looks at them. */
export interface GuardReport {
  readonly document: DocumentKey;
  /** Of the connection manager inside the document. */
  readonly path: string;
  /** Why the filter is asked about every request; empty where it need not be. */
  readonly reasons: readonly string[];
  /** Virtual hosts that do without the filter, and routes of other virtual hosts that do. */
  readonly unaskedHosts: number;
  readonly unaskedRoutes: number;
}

export interface Translation {
  readonly resources: readonly TranslatedResource[];
  readonly bootstrap: JsonObject;
  /** Documents whose content is in the bootstrap, its own first. */
  readonly bootstrapParts: readonly string[];
  readonly errors: readonly TranslationError[];
  /**
   * Keys of everything that was looked at, also of what was missing; `virtual_hosts/<routes>/` for the virtual hosts of a
   * route configuration. A change of anything else leaves this translation as it is.
   */
  readonly used: ReadonlySet<string>;
  /** One for each connection manager of a service with a filter. */
  readonly guards: readonly GuardReport[];
  /** TCP and UDP ports that the listeners bind, sorted. */
  readonly listenerPorts: readonly number[];
}
