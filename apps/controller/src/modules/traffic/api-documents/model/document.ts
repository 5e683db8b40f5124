import type { ApiDocumentFormat, ApiDocumentWarning } from '@flotilla/contract';

/** A server of a document. `host` is null if the document does not name one, or names one with variables. */
export interface Server {
  readonly host: string | null;
  /** Without a slash at its end; empty for the root. */
  readonly base: string;
}

export interface ParameterFacts {
  readonly in: 'query' | 'header' | 'cookie' | 'path';
  readonly name: string;
  readonly required: boolean;
  /** Empty: unknown. */
  readonly type: string;
}

export interface OperationFacts {
  readonly operationId: string;
  readonly deprecated: boolean;
  readonly parameters: readonly ParameterFacts[];
  /** Requests may have query parameters that the document does not name. */
  readonly openQuery: boolean;
  /** Null: no body. */
  readonly body: { readonly required: boolean; readonly media: readonly string[] } | null;
  /** Codes, classes such as `4XX`, and `default`. */
  readonly statuses: readonly string[];
  /** The document does not say which status codes there are. */
  readonly openStatuses: boolean;
  readonly secured: boolean;
}

export interface DocumentOperation {
  /** In capitals. */
  readonly method: string;
  /** As the document writes it, without the path of a server. */
  readonly path: string;
  readonly facts: OperationFacts;
}

/** Everything of a document but its operations. */
export interface DocumentHead {
  readonly format: ApiDocumentFormat;
  readonly title: string;
  readonly documentVersion: string;
  readonly servers: readonly Server[];
  readonly keyQuery: readonly string[];
  readonly warnings: readonly ApiDocumentWarning[];
  readonly operationCount: number;
  readonly deprecatedCount: number;
}
