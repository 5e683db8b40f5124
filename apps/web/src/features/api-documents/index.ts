export { OperationDocuments } from './operation-documents.tsx';
