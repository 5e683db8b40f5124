export { DocumentReader } from './document-reader.ts';
export { compileScope, type Place, parseHostPrefix } from './model/scope.ts';
export { readPosition, toPosition } from './position.ts';
export { createApiDocumentRoutes } from './routes.ts';
export { listDocumentTemplates } from './templates.ts';
