import type {
  CandidateRecord,
  ExtensionRecord,
  FieldDescriptionRecord,
  MessageDescriptionRecord,
} from '@flotilla/contract';

/**
 * Envoy's messages as the API describes them. The form and the code view both use `SchemaSource`, so that they never
 * disagree.
 */
export type MessageDescription = MessageDescriptionRecord;
export type FieldDescription = FieldDescriptionRecord;
/** The type of one value. `message` has the full name of a type to load. */
export type ValueDescription = FieldDescription['value'];
export type EnumValueDescription = Extract<ValueDescription, { kind: 'enum' }>['values'][number];
export type OneofDescription = MessageDescription['oneofs'][number];
/** An extension that fits a slot. */
export type ExtensionChoice = ExtensionRecord;
/** A stored document that a reference may name. */
export type Candidate = CandidateRecord;

export interface Candidates {
  readonly items: readonly Candidate[];
  /** Whether there are more candidates, which `q` finds. */
  readonly truncated: boolean;
}

/** At least one of the first three is required; `q` narrows the result. */
export interface CandidateQuery {
  readonly slot?: string | undefined;
  readonly type?: string | undefined;
  readonly collection?: string | undefined;
  readonly q?: string | undefined;
}

/** Loads messages and options. All promises reject if the controller does not answer; the caller may retry. */
export interface SchemaSource {
  /** Returns the loaded message, or undefined while it is loading. Always the same object. */
  peek(type: string): MessageDescription | undefined;
  /** undefined: this version has no such message. */
  load(type: string): Promise<MessageDescription | undefined>;
  /** Loads the extensions that fit the slot, or all extensions without a slot. */
  extensions(slot: string | undefined): Promise<readonly ExtensionChoice[]>;
  /** Loads the stored documents that fit, by name. */
  candidates(query: CandidateQuery): Promise<Candidates>;
}
