export { MessageForm, type MessageFormHandle, type MessageFormProps } from './message-form.tsx';
export type { Finding } from './model/findings.ts';
export { FormState } from './model/form-state.ts';
export type { JsonObject } from './model/json.ts';
export type { PrivatePart } from './model/private-parts.ts';
export type {
  Candidate,
  CandidateQuery,
  Candidates,
  EnumValueDescription,
  ExtensionChoice,
  FieldDescription,
  MessageDescription,
  OneofDescription,
  SchemaSource,
  ValueDescription,
} from './schema-source.ts';
