export { type Complaint, type ComplaintScope, recordComplaints, resolveNode } from './recorder.ts';
export { createConfigErrorRoutes } from './routes.ts';
export { listActiveErrors } from './views.ts';
