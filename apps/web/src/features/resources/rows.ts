import type { Document, documentListItemSchema } from '@flotilla/contract';

/** A document as lists show it. */
export type DocumentRow = (typeof documentListItemSchema)['_output'];
export type StoredDocument = Document;
