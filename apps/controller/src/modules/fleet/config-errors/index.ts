export { toTranslationCode } from './codes.ts';
export { type Complaint, resolveNode } from './record-store.ts';
export { recordComplaints } from './recorder.ts';
export { type ConfigErrorQuery, listActiveErrors, listErrors } from './views.ts';
