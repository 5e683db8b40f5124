export type { JsonObject, JsonValue, Registry } from '@bufbuild/protobuf';
export { type CheckOutcome, createEnvoyApi, type EnvoyApi, type EnvoyApiSource } from './api.ts';
export type { EnumValueDescription, FieldDescription, MessageDescription, ValueDescription } from './describe.ts';
export { isJsonObject, isReference, setOwn } from './json/own.ts';
export { formatPath, type PathNode } from './json/path.ts';
export type { FieldVisit, MessageVisit, VisitedField, Visitor } from './json/walk.ts';
export { typeNameOfUrl } from './json/well-known.ts';
export { type LoadOptions, loadEnvoyApi } from './load.ts';
