export type { ListNodes } from './reach.ts';
export { createDocumentRoutes } from './routes.ts';
export { type CheckPolicies, createServiceReferences, type ReferringService } from './service-references.ts';
export { type DocumentRow, findDocument, findDocuments, findReachedServices, findUsers, type Scope } from './store.ts';
export { fullResource, type OpenedDocument, openDocument } from './write-one.ts';
