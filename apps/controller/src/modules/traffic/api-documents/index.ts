export { DocumentReader } from './document-reader.ts';
export { createApiDocumentRoutes } from './routes.ts';
export { listDocumentTemplates } from './templates.ts';
