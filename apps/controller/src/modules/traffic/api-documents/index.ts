export { listDocumentTemplates } from './templates.ts';
