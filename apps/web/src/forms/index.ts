export { parseAddressLines } from './compact/model/address-lines.ts';
export { createEndpoint, readEndpoints } from './compact/model/endpoints.ts';
export { parseDomains } from './compact/model/virtual-hosts.ts';
export { MessageForm, type MessageFormHandle } from './message-form.tsx';
export { getAt, setAt } from './model/document.ts';
export { FormState } from './model/form-state.ts';
export { isIpAddress } from './model/ip-address.ts';
export { isList, isObject, type Json, type JsonObject } from './model/json.ts';
export { parsePath } from './model/path.ts';
export type { PrivatePart } from './model/private-parts.ts';
export type {
  CandidateQuery,
  Candidates,
  ExtensionChoice,
  MessageDescription,
  SchemaSource,
} from './schema-source.ts';
