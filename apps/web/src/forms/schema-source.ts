/**
 * What the form and the code view know about Envoy's messages. Both read it through `SchemaSource`, so that they never disagree. The
 * shapes are those of the wire (snake_case); what a version does not tell is absent or null.
 */
export type WellKnown =
  | 'any'
  | 'duration'
  | 'timestamp'
  | 'wrapper'
  | 'struct'
  | 'value'
  | 'list_value'
  | 'field_mask'
  | 'empty';

export interface EnumValueDescription {
  readonly name: string;
  readonly number: number;
  readonly deprecated: boolean;
  readonly disallowed: boolean;
}

/** The type of one value. `message` carries the full name, to be loaded in its turn. */
export type ValueDescription =
  | { readonly kind: 'scalar'; readonly type: string }
  | { readonly kind: 'enum'; readonly type: string; readonly values: readonly EnumValueDescription[] }
  | { readonly kind: 'message'; readonly type: string; readonly well_known?: string | null | undefined };

export interface FieldDescription {
  readonly name: string;
  readonly number: number;
  readonly shape: 'singular' | 'list' | 'map';
  readonly value: ValueDescription;
  /** Of a map: `string`, `uint32`... */
  readonly key_type?: string | null | undefined;
  readonly oneof?: string | null | undefined;
  readonly required: boolean;
  readonly deprecated: boolean;
  readonly disallowed: boolean;
  readonly deprecated_since?: string | null | undefined;
  readonly sensitive: boolean;
  /** The rules as in the `.proto` file: `{ "uint32": { "lte": 65535 } }`. */
  readonly constraint?: Readonly<Record<string, unknown>> | null | undefined;
  /** Among the most used of its message. */
  readonly common: boolean;
  /** One sentence. */
  readonly hint?: string | null | undefined;
  /** Of an Any, or of a message with a `typed_config`: the category of extensions that fit, such as `envoy.filters.http`. */
  readonly slot?: string | null | undefined;
  /** The collection whose stored names this text names, such as `clusters`. */
  readonly refers_to?: string | null | undefined;
}

export interface OneofDescription {
  readonly name: string;
  readonly required: boolean;
  readonly fields: readonly string[];
}

export interface MessageDescription {
  readonly type_name: string;
  readonly docs_url: string;
  readonly deprecated: boolean;
  /** As in the `.proto` file. */
  readonly fields: readonly FieldDescription[];
  readonly oneofs: readonly OneofDescription[];
}

/** An extension that fits a slot. */
export interface ExtensionChoice {
  /** Canonical: `envoy.filters.http.router`. */
  readonly name: string;
  /** Full name of its configuration message, without `type.googleapis.com/`. */
  readonly type: string;
  /** For people: `Router`. */
  readonly title?: string | null | undefined;
  readonly common: boolean;
  readonly deprecated?: boolean | undefined;
  readonly hint?: string | null | undefined;
}

/** A stored document that may be named where the query asked. */
export interface Candidate {
  readonly collection: string;
  readonly name: string;
  /** What a `$ref` to it says: `filters/x`. */
  readonly ref: string;
  readonly type?: string | null | undefined;
}

export interface CandidateQuery {
  readonly slot?: string | undefined;
  readonly type?: string | undefined;
  readonly collection?: string | undefined;
}

/** All promises reject when the controller cannot be reached; asking again is then allowed. */
export interface SchemaSource {
  /** Known already, or undefined while it is being fetched. */
  peek(type: string): MessageDescription | undefined;
  /** Undefined: this version has no such message. */
  load(type: string): Promise<MessageDescription | undefined>;
  /** Extensions that fit the slot; all there are without one. */
  extensions(slot: string | undefined): Promise<readonly ExtensionChoice[]>;
  /** Stored documents that fit. */
  candidates(query: CandidateQuery): Promise<readonly Candidate[]>;
}
