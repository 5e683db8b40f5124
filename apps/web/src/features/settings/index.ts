export { createDocumentPage } from './document-page.tsx';
