export { type Complaint, resolveNode } from './record-store.ts';
export { recordComplaints } from './recorder.ts';
export { createConfigErrorRoutes } from './routes.ts';
export { listActiveErrors } from './views.ts';
