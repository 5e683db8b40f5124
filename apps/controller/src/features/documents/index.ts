export { diffJson } from './diff.ts';
export { createDocumentRoutes } from './routes.ts';
export { createServiceReferences } from './service-references.ts';
export { type DocumentRow, findDocument, findDocuments, findReachedServices, type Scope } from './store.ts';
export { fullResource, openDocument } from './write-one.ts';
