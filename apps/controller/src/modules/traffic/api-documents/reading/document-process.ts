import { serveOwner } from '@flotilla/kit';
import { readDocument } from './read-document.ts';

// Entry of the process that `document-reader.ts` starts. The owner receives its errors.
serveOwner(async ({ bytes }: { readonly bytes: Uint8Array }) => readDocument(bytes));
