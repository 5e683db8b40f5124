export { MessageForm, type MessageFormHandle } from './message-form.tsx';
export { FormState } from './model/form-state.ts';
export type { JsonObject } from './model/json.ts';
export type { PrivatePart } from './model/private-parts.ts';
export type {
  CandidateQuery,
  Candidates,
  ExtensionChoice,
  MessageDescription,
  SchemaSource,
} from './schema-source.ts';
