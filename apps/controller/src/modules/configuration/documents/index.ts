export { applyDocuments } from './apply.ts';
export { measureCertificates } from './certificate-metrics.ts';
export { diffJson } from './diff.ts';
export { type DocumentTextRow, findDocumentTexts, findVirtualHostTexts, openPartsText } from './document-text-store.ts';
export { documentContext } from './encryption-context.ts';
export { describeKind } from './model.ts';
export { findReachedServices } from './reference-store.ts';
export { reviewDocument } from './review.ts';
export { checkRevived } from './revive.ts';
export { createDocumentRoutes } from './routes.ts';
export { announce, type DocumentServiceDeps } from './service.ts';
export { type CheckPolicies, createServiceReferences } from './service-reference-store.ts';
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
