export { applyDocuments } from './apply.ts';
export { measureCertificates } from './certificate-metrics.ts';
export { diffJson, mergePatch } from './diff.ts';
export { getAt, parsePath } from './json-path.ts';
export { describeKind } from './model.ts';
export { sealParts } from './private-parts.ts';
export { findReachedServices } from './reference-store.ts';
export { reviewDocument } from './review.ts';
export { checkRevived } from './revive.ts';
export { createDocumentRoutes } from './routes.ts';
export { announce, type DocumentServiceDeps } from './service.ts';
export { type CheckPolicies, createServiceReferences } from './service-references.ts';
export {
  type DocumentRow,
  deleteDocuments,
  findDocument,
  findDocuments,
  lockScope as lockDocuments,
  type Scope,
} from './store.ts';
export { type NewDocument, writeNewDocuments } from './write-new.ts';
export { fullResource, openDocument } from './write-one.ts';
