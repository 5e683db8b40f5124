import type { Document, documentSummarySchema } from '@flotilla/contract';

/** A document as lists show it. */
export type DocumentRow = (typeof documentSummarySchema)['_output'];
export type StoredDocument = Document;
