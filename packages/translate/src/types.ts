import type { JsonObject } from '@flotilla/envoy-api';
import type { DocumentCollection, DocumentKey } from './documents/collections.ts';
import type { ShieldPlacement } from './guard/connection-manager.ts';

/** A stored document including private values. The translator never changes it. */
export interface SourceDocument {
  readonly collection: DocumentCollection;
  readonly name: string;
  /** Full message name. */
  readonly type: string;
  /** Equal revisions of a document mean equal content. */
  readonly revision: number;
  /** May be parsed on first access. */
  readonly resource: JsonObject;
  /** Approximate length of the resource as text. */
  readonly chars: number;
  /** Whether the author of this revision was allowed to use host access; see `findHostAccess`. */
  readonly mayReachHost: boolean;
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
  /** The service's addresses on this client; see `CLIENT_ADDRESS`. */
  readonly addresses: readonly string[];
  /** The agent's ADS socket. */
  readonly xdsSocket: string;
  /** Replaces `files/` in documents. */
  readonly filesDir: string;
  /** Set if the service has policies: all its traffic passes the filter. */
  readonly shield: ShieldPlacement | undefined;
  /** The agent's socket for access logs, if the service records its traffic: all its listeners log to it. */
  readonly accessLogSocket?: string | undefined;
}

export interface ResourceId {
  readonly typeUrl: string;
  readonly name: string;
}

export interface TranslatedResource extends ResourceId {
  /** Full message name. */
  readonly type: string;
  readonly bytes: Uint8Array;
  /**
   * Resources that the bytes refer to and Envoy needs first; may contain static clusters of the bootstrap, which are
   * not resources.
   */
  readonly dependsOn: readonly ResourceId[];
  /** The source document; undefined for what the translator adds. */
  readonly document: DocumentKey | undefined;
  /** Further documents whose content is in the bytes: inserted for references, or virtual hosts. */
  readonly parts: readonly string[];
}

/** An error that keeps a part of a document from its node; everything else is sent. */
export interface TranslationError {
  readonly document: DocumentKey;
  /** JSON path inside the resource. */
  readonly path: string;
  readonly rule: string;
  readonly message: string;
}

/** Whether requests of one connection manager may bypass the filter if no policy applies to them. */
export interface GuardReport {
  readonly document: DocumentKey;
  /** Path of the connection manager inside the document. */
  readonly path: string;
  /** Why the filter is asked about every request; may be empty. */
  readonly reasons: readonly string[];
  /** Virtual hosts without the filter, and routes without it in other virtual hosts. */
  readonly unaskedHosts: number;
  readonly unaskedRoutes: number;
}

export interface Translation {
  readonly resources: readonly TranslatedResource[];
  /** Existing resources that must not be sent in their current form: the node keeps its version. */
  readonly withheld: readonly ResourceId[];
  readonly bootstrap: JsonObject;
  /** Documents whose content is in the bootstrap, its own first. */
  readonly bootstrapParts: readonly string[];
  readonly errors: readonly TranslationError[];
  /**
   * Keys of everything that was used, including missing documents; `virtual_hosts/<routes>/` for the virtual hosts of a
   * route configuration. Other changes do not affect this translation.
   */
  readonly used: ReadonlySet<string>;
  /** One for each connection manager of a service with a filter. */
  readonly guards: readonly GuardReport[];
  /** TCP and UDP ports of the listeners, sorted. */
  readonly listenerPorts: readonly number[];
}
