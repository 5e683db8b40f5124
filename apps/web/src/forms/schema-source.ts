import type {
  CandidateRecord,
  ExtensionRecord,
  FieldDescriptionRecord,
  MessageDescriptionRecord,
} from '@flotilla/contract';

/**
 * What the form and the code view know about Envoy's messages, in the shapes of the wire. Both read it through `SchemaSource`, so that
 * they never disagree.
 */
export type MessageDescription = MessageDescriptionRecord;
export type FieldDescription = FieldDescriptionRecord;
/** The type of one value. `message` carries the full name, to be loaded in its turn. */
export type ValueDescription = FieldDescription['value'];
export type EnumValueDescription = Extract<ValueDescription, { kind: 'enum' }>['values'][number];
export type OneofDescription = MessageDescription['oneofs'][number];
/** An extension that fits a slot. */
export type ExtensionChoice = ExtensionRecord;
/** A stored document that may be named where the query asked. */
export type Candidate = CandidateRecord;

export interface Candidates {
  readonly items: readonly Candidate[];
  /** There are more: `q` finds them. */
  readonly truncated: boolean;
}

/** One of the first three; `q` narrows. */
export interface CandidateQuery {
  readonly slot?: string | undefined;
  readonly type?: string | undefined;
  readonly collection?: string | undefined;
  readonly q?: string | undefined;
}

/** All promises reject when the controller cannot be reached; asking again is then allowed. */
export interface SchemaSource {
  /** Known already, or undefined while it is being fetched. The same object each time. */
  peek(type: string): MessageDescription | undefined;
  /** Undefined: this version has no such message. */
  load(type: string): Promise<MessageDescription | undefined>;
  /** Extensions that fit the slot; all there are without one. */
  extensions(slot: string | undefined): Promise<readonly ExtensionChoice[]>;
  /** Stored documents that fit, by name. */
  candidates(query: CandidateQuery): Promise<Candidates>;
}
