/** The private fields of a document and of its revisions. */
export const documentContext = (documentId: string) => `documents/${documentId}`;
